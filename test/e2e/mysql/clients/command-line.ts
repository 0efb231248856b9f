/**
 * The battery as a script for the command-line clients `mariadb` and `mysql`: what a person at the prompt sees. The
 * client repeats each statement before its outcome, and names the line of each error, so the two can be put together.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asAccount, runMysql } from '../../../servers/mysql-database.js';
import type { MysqlFlavour } from '../../../servers/mysql-programs.js';
import { until } from '../../../support/until.js';
import type { Transcript } from '../../battery/transcript.js';
import type { Battery } from '../battery/compare.js';
import { failingStatements, repetitions } from '../battery/failing-statements.js';

const waitMs = 20_000;

/** A client's command line and the options that say whether it logs in over TLS. */
export interface CommandLineClient {
  readonly command: readonly string[];
  readonly login: readonly string[];
}

export const mariadbPlain = ['--skip-ssl'];
export const mysqlPlain = ['--ssl-mode=DISABLED', '--get-server-public-key'];
export const mariadbTls = ['--ssl'];
export const mysqlTls = ['--ssl-mode=REQUIRED'];

/** One line of a script and the step it belongs to. */
interface Line {
  readonly step: string;
  readonly text: string;
}

export function commandLineBattery(client: CommandLineClient): Battery {
  return async (url, log, flavour) => {
    const folder = mkdtempSync(join(tmpdir(), 'twiceshy-command-line-'));
    try {
      await script(client, url, failures(flavour, false), log);
      const reader = asAccount(url, { name: 'reader', password: 'readerpw' });
      await script(client, reader, failures(flavour, true), log);
      await script(client, url, [...texts(), ...files(folder)], log, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    await stops(client, url, log);
    await refusals(client, url, log);
    for (let time = 1; time <= repetitions; time += 1) await interrupted(client, url, log, time);
  };
}

function failures(flavour: MysqlFlavour, isReader: boolean): Line[] {
  const statements = failingStatements(flavour).filter((one) => (one.isReader === true) === isReader);
  return statements.flatMap(({ code, sql, before, after }) => [
    ...(before === undefined ? [] : [{ step: 'before', text: `${before};` }]),
    ...times((time) => [{ step: `${code} ${time} text ${sql}`, text: `${sql};` }]),
    ...(after === undefined ? [] : [{ step: 'after', text: `${after};` }]),
  ]);
}

function texts(): Line[] {
  const plain = (step: string, ...lines: string[]): Line[] => lines.map((text) => ({ step, text }));
  return [
    ...plain('rows', 'select * from city order by id;', 'select * from copied;', 'call two_sets();'),
    ...plain(
      'counts',
      "insert into copied (word) values ('one'), ('two');",
      'update copied set word = word;',
    ),
    ...plain('warnings', "set sql_mode = '';", "insert into person (email, age) values ('w', 'x');"),
    ...plain('warnings', "select 1 / 0, cast('x' as signed);", "delete from person where email = 'w';"),
    ...plain('warnings', 'set sql_mode = default;', 'truncate table copied;'),
    ...times((time) => [
      ...plain(
        `block ${time}`,
        'begin;',
        'update account set balance = 1 where id = 2;',
        'select nme from city;',
      ),
      ...plain(`block ${time}`, 'select balance from account where id = 2;', 'rollback;'),
      ...plain(`call ${time}`, 'call overdraw();', 'call no_such_procedure();'),
      ...plain(`prepared ${time}`, "prepare p from 'select nme from city where id = ?';"),
      ...plain(
        `prepared ${time}`,
        "prepare p from 'select checked(?)';",
        'set @id = 5;',
        'execute p using @id;',
      ),
      ...plain(`several ${time}`, 'delimiter //', 'select 1 as a; select 2 as b//'),
      ...plain(`several ${time}`, 'select 1 as a; select nme from city; select 2 as b//'),
      ...plain(
        `several ${time}`,
        'do 1; call two_sets(); select id, checked(id) from city order by id; do 5//',
      ),
      ...plain(`several ${time}`, 'delimiter ;'),
      ...plain(`use ${time}`, 'use no_such_database', 'use mysql', 'select nme from city;', 'use <database>'),
      ...plain(
        `character set ${time}`,
        'charset latin1',
        'select `Jyv\u00e4skyl\u00e4` from city;',
        'charset utf8mb4',
      ),
      ...plain(`character set ${time}`, 'select `Jyv\u00e4skyl\u00e4` from city;'),
      ...plain(`comments ${time}`, '/* a */ select nope /* b */ from city;', 'select 1 -- b', ';'),
    ]),
  ];
}

function files(folder: string): Line[] {
  const file = join(folder, 'rows');
  writeFileSync(file, Array.from({ length: 500 }, (_, index) => `${index + 1}\tword\n`).join(''));
  const load = (into: string, from = file): string => `load data local infile '${from}' into ${into};`;
  return [
    { step: 'file', text: load('table copied (id, word)') },
    ...times((time) => [
      { step: `file again ${time}`, text: load('table copied (id, word)') },
      { step: `file for no table ${time}`, text: load('table nowhere (id, word)') },
      { step: `no file ${time}`, text: load('table copied (id, word)', join(folder, 'none')) },
      {
        step: `file that fails midway ${time}`,
        text: load('table copied (id, word) set twin = (select d from digits)'),
      },
      { step: `after files ${time}`, text: 'select count(*) from copied;' },
    ]),
    { step: 'after files', text: 'truncate table copied;' },
  ];
}

function times(lines: (time: number) => readonly Line[]): Line[] {
  return Array.from({ length: repetitions }, (_, index) => lines(index + 1)).flat();
}

async function script(
  client: CommandLineClient,
  url: string,
  lines: readonly Line[],
  log: Transcript,
  folder = '',
): Promise<void> {
  const database = new URL(url).pathname.slice(1);
  const input = lines.map(({ text }) => text.replace('<database>', database)).join('\n');
  // Twice verbose: each statement, then its outcome with row counts but without times.
  const result = await run(client, url, ['--force', '-v', '-v', '--table', '--show-warnings'], `${input}\n`);
  const shown = (text: string): string => (folder === '' ? text : text.replaceAll(folder, '<folder>'));
  const [before, ...rest] = shown(result.stdout).split(/^-{14}\n/m);
  log.add('output', { before });
  for (let at = 0; at < rest.length; at += 2)
    log.add('output', { statement: rest[at], outcome: rest[at + 1] ?? null });
  for (const part of shown(result.stderr).split(/^(?=ERROR )/m)) {
    const line = Number(/at line (\d+)/.exec(part)?.[1] ?? Number.NaN);
    log.add(lines[line - 1]?.step ?? 'error', { part });
  }
  log.add('exit', { code: result.code });
}

/** The exit code of a script that stops at its first error is part of what a user relies on. */
async function stops(client: CommandLineClient, url: string, log: Transcript): Promise<void> {
  for (let time = 1; time <= repetitions; time += 1) {
    const options = {
      [`stops ${time}`]: ['-B'],
      [`raw ${time}`]: ['-B', '-N', '-r'],
      [`vertical ${time}`]: ['-E'],
    };
    for (const [step, flags] of Object.entries(options))
      log.add(step, {
        ...(await run(client, url, [...flags, '-e', 'select 1; select nme from city; select 2'])),
      });
  }
}

async function refusals(client: CommandLineClient, url: string, log: Transcript): Promise<void> {
  const wrongDatabase = new URL(url);
  wrongDatabase.pathname = '/no_such_database';
  const wrongPassword = asAccount(url, { name: 'reader', password: 'wrong' });
  for (let time = 1; time <= repetitions; time += 1) {
    for (const [step, target] of [
      ['wrong password', wrongPassword],
      ['unknown database', wrongDatabase.href],
    ] as const)
      log.add(`never: ${step} ${time}`, { ...(await run(client, target, ['-e', 'select 1'])) });
  }
}

/** Ctrl-C at a running statement: the client kills it through a second session. */
async function interrupted(
  client: CommandLineClient,
  url: string,
  log: Transcript,
  time: number,
): Promise<void> {
  const [file = '', ...first] = client.command;
  // A text of its own each time: the one before may still be listed when its client has gone.
  const text = `select max(sleep(30)) as time${time} from city`;
  const args = [...first, ...login(client, url), '-e', text];
  const child = spawn(file, args, { env: environment(url), stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const database = new URL(url).pathname.slice(1);
  const sleeping = `select 1 from information_schema.processlist where db = '${database}' and info = '${text}'`;
  await until(async () => (await runMysql(url, sleeping)).length === 1, waitMs, 'the statement to run');
  child.kill('SIGINT');
  log.add(`never: interrupted ${time}`, { code: await ended, stderr });
}

interface Result {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function run(client: CommandLineClient, url: string, args: readonly string[], input = ''): Promise<Result> {
  const [file = '', ...first] = client.command;
  return new Promise((resolve) => {
    const options = { env: environment(url), timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(
      file,
      [...first, ...login(client, url), ...args],
      options,
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : (error.code ?? error.signal), stdout, stderr });
      },
    );
    child.stdin?.end(input);
  });
}

function login(client: CommandLineClient, url: string): string[] {
  const { hostname, port, username, pathname } = new URL(url);
  return [
    ...client.login,
    '--local-infile=1',
    '--default-character-set=utf8mb4',
    `--host=${hostname}`,
    `--port=${port}`,
    `--user=${username}`,
    `--database=${pathname.slice(1)}`,
  ];
}

function environment(url: string): NodeJS.ProcessEnv {
  const { password } = new URL(url);
  return {
    PATH: process.env['PATH'],
    LC_ALL: 'C.UTF-8',
    HOME: '/nonexistent',
    MYSQL_PWD: decodeURIComponent(password),
  };
}
