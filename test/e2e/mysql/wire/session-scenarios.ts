/** What ends a session, or the following of it: each runs on a session of its own. */
import { asAccount } from '../../../servers/mysql-database.js';
import type { MysqlFlavour } from '../../../servers/mysql-programs.js';
import { ping, processInfo, processKill, quit } from '../../../support/mysql-client-packets.js';
import { command as commandByte, type Packet, packets } from '../../../support/mysql-protocol.js';
import { error as errorPacket } from '../../../support/mysql-server-packets.js';
import { LoginRefused, RawMysql } from '../../../support/raw-mysql.js';
import { until } from '../../../support/until.js';
import { bytes, type Command, inTurn, prepareOn, text, texts, together } from './exchanges.js';

const waitMs = 20_000;

export interface SessionScenario {
  readonly name: string;
  /** `url` is the session's own. */
  run(session: RawMysql, url: string): Promise<readonly Packet[]>;
  readonly only?: MysqlFlavour;
}

const unknownCommands = [0x00, 0x05, 0x0b, 0x0f, 0x10, 0x14, 0x1d, 0x2a, 0xfc, 0xfe];
const andOn = [text('select id from city order by id'), text('select nope from city'), bytes(ping)];

/** The commands, then ordinary ones, as far as the server takes them. */
const goingOn = (...commands: readonly Command[]): SessionScenario['run'] => inTurn(...commands, ...andOn);

/** Would run for minutes; a sleep that is killed would not be an error. */
const endless =
  'select max(a.d + h.d) from digits a, digits b, digits c, digits d, digits e, digits f, digits g, digits h';

async function onOther<T>(url: string, work: (other: RawMysql) => Promise<T>): Promise<T> {
  const other = await RawMysql.open(url);
  try {
    return await work(other);
  } finally {
    other.close();
  }
}

/** Kills once the statement is seen to run. */
async function killing(other: RawMysql, victim: RawMysql, verb: string): Promise<void> {
  const id = victim.greeting?.threadId ?? 0;
  const isRunning = async (): Promise<boolean> => {
    const seen = `select 1 from information_schema.processlist where id = ${id} and info like 'select max%'`;
    return (await other.query(seen)).length > 3;
  };
  await until(isRunning, waitMs, 'the statement to run');
  await other.query(`${verb} ${id}`);
}

export const sessionScenarios: readonly SessionScenario[] = [
  {
    name: 'commands nobody knows',
    run: goingOn(...unknownCommands.map((code) => bytes(Buffer.from([code, 1])))),
  },
  {
    name: 'an unknown command among others in one write',
    run: together(text('select 1'), bytes(Buffer.from([0x2a])), ...andOn),
  },
  { name: 'a command of no bytes', run: goingOn(bytes(Buffer.alloc(0))) },
  {
    name: 'commands cut short',
    run: goingOn(...[0x17, 0x1a, 0x1c, 0x04, 0x1b].map((code) => bytes(Buffer.from([code])))),
  },
  {
    name: 'a command with a number out of step',
    run: async (session) => {
      await session.send(packets(ping, 5));
      return session.ended();
    },
  },
  {
    name: 'COM_QUIT',
    run: async (session) => {
      await session.sendPacket(quit);
      return session.ended();
    },
  },
  {
    name: 'a session that kills itself',
    run: async (session) => {
      await session.sendPacket(text('kill connection_id()')(session));
      return session.ended();
    },
  },
  {
    name: 'a session that is idle too long',
    run: async (session) => [...(await texts('set wait_timeout = 1')(session)), ...(await session.ended())],
  },
  {
    name: 'a statement that another session ends',
    run: async (session, url) => {
      await session.sendPacket(text(endless)(session));
      await onOther(url, async (other) => void (await killing(other, session, 'kill query')));
      return [...(await session.answer(commandByte.query)), ...(await goingOn()(session, url))];
    },
  },
  {
    name: 'a session that another one ends',
    run: async (session, url) => {
      await session.sendPacket(text(endless)(session));
      await onOther(url, async (other) => void (await killing(other, session, 'kill')));
      return session.ended();
    },
  },
  {
    only: 'mariadb',
    name: 'COM_PROCESS_KILL',
    run: async (session, url) => {
      const id = session.greeting?.threadId ?? 0;
      const answer = await onOther(url, (other) => inTurn(bytes(processKill(id)), ...andOn)(other));
      return [...answer, ...(await session.ended())];
    },
  },
  {
    only: 'mariadb',
    name: 'COM_PROCESS_INFO, but for its rows',
    run: async (session) => {
      const answer = await session.run(processInfo);
      return [...answer.slice(0, 1 + (answer[0]?.payload[0] ?? 0)), ...(await goingOn()(session, ''))];
    },
  },
  {
    name: 'COM_CHANGE_USER there and back',
    run: async (session, url) => {
      const { answer } = await prepareOn(session, 'select 1');
      const denied = 'insert into city values (9, null, null)';
      await session.changeUser(asAccount(url, { name: 'reader', password: 'readerpw' }));
      const there = await texts('select current_user(), database()', denied, 'select @one')(session);
      await session.changeUser(url);
      return [...answer, ...there, ...(await goingOn()(session, url))];
    },
  },
  {
    name: 'COM_CHANGE_USER that is refused',
    run: async (session, url) => {
      const refused: unknown = await session
        .changeUser(asAccount(url, { name: 'reader', password: 'wrong' }))
        .catch((error: unknown) => error);
      if (!(refused instanceof LoginRefused)) throw new Error('Let in', { cause: refused });
      const error = errorPacket(refused.code, refused.message, refused.sqlState);
      return [{ sequence: 0, payload: error }, ...(await goingOn()(session, url))];
    },
  },
];
