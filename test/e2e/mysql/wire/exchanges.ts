/**
 * The words wire scenarios are made of: commands in one write or in turn, prepared statements, files; each resolves to
 * every packet that answered.
 */
import {
  closeStatement,
  execute,
  prepare,
  query,
  sendLongData,
} from '../../../support/mysql-client-packets.js';
import { capability, command as commandByte, type Packet, packets } from '../../../support/mysql-protocol.js';
import type { RawMysql } from '../../../support/raw-mysql.js';

export type Command = (session: RawMysql) => Buffer;
export type Run = (session: RawMysql) => Promise<readonly Packet[]>;

export const text = (sql: string): Command => {
  return ({ capabilities }) =>
    (capabilities & capability.queryAttributes) === 0 ? query(sql) : query(sql, {});
};
export const attributed = (sql: string): Command => {
  return () => query(sql, { trace: 'abc', empty: '', 'sp ace': 'x'.repeat(300) });
};
export const bytes =
  (payload: Buffer): Command =>
  () =>
    payload;

/** All commands in one write, then their answers in order; see `withoutId`. */
export function together(...commands: readonly Command[]): Run {
  return async (session) => {
    const payloads = commands.map((command) => command(session));
    await session.send(...payloads.map((payload) => packets(payload)));
    const answers: Packet[] = [];
    for (const payload of payloads)
      answers.push(...withoutId(payload, await session.answer(payload[0] ?? 0)));
    return answers;
  };
}

/** One command after the other, each when the one before is answered. */
export function inTurn(...commands: readonly Command[]): Run {
  return async (session) => {
    const answers: Packet[] = [];
    for (const command of commands) answers.push(...(await session.run(command(session))));
    return answers;
  };
}

export const texts = (...all: readonly string[]): Run => inTurn(...all.map(text));

type Execution = (id: number, session: RawMysql) => Buffer;

/** COM_STMT_EXECUTE as the login's capabilities want it. */
export const run = (values: readonly (string | null | undefined)[] = [], flags = 0): Execution => {
  return (id, { capabilities }) => {
    const isCounted = (capabilities & capability.queryAttributes) !== 0;
    return execute(id, values, { flags: isCounted && values.length > 0 ? flags | 8 : flags, isCounted });
  };
};
export const readOnlyCursor = 1;

/** COM_STMT_PREPARE, the id it got (-1 without one), and the rest of its answer. */
export async function prepareOn(
  session: RawMysql,
  sql: string,
): Promise<{ id: number; answer: readonly Packet[] }> {
  const command = prepare(sql);
  const answer = await session.run(command);
  const first = answer[0]?.payload;
  return { id: first?.[0] === 0 ? first.readUInt32LE(1) : -1, answer: withoutId(command, answer) };
}

/** Ids of statements are not compared: MariaDB counts those of the whole server. */
function withoutId(command: Buffer, answer: readonly Packet[]): readonly Packet[] {
  const [first, ...rest] = answer;
  if (command[0] !== commandByte.stmtPrepare || first?.payload[0] !== 0) return answer;
  return [{ ...first, payload: Buffer.from(first.payload).fill(0, 1, 5) }, ...rest];
}

/** Prepares `sql`; then in one write whatever is done with it, and its end. */
export function prepared(sql: string, ...executions: readonly Execution[]): Run {
  return async (session) => {
    const { id, answer } = await prepareOn(session, sql);
    if (id < 0) return answer;
    const commands = [...executions, closeStatement].map((execution) => bytes(execution(id, session)));
    return [...answer, ...(await together(...commands)(session))];
  };
}

export const longData =
  (piece: string): Execution =>
  (id) =>
    sendLongData(id, 0, Buffer.from(piece));

/** Sends a text that makes the server ask for files, one list of pieces for each time it asks; then what follows. */
export function withFiles(sql: string, ...files: readonly (readonly string[])[]): Run {
  return async (session) => {
    const answers: Packet[] = [];
    answers.push(...(await session.run(text(sql)(session))));
    for (const pieces of files) {
      const request = answers.at(-1);
      if (request?.payload[0] !== 0xfb) break;
      answers.push(...(await session.sendFile(request, ...pieces.map((piece) => Buffer.from(piece)))));
    }
    return [...answers, ...(await texts('delete from copied')(session))];
  };
}

export async function databaseOf(session: RawMysql): Promise<string> {
  const row = (await session.query('select database()')).at(-2);
  return row?.payload.subarray(1).toString() ?? '';
}
