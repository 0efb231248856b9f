/** The battery as a psql session: what a person at the prompt sees, with every field of an error shown. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from '../../support/until.js';
import { failingStatements, repetitions } from '../battery/failing-statements.js';
import type { Transcript } from '../battery/transcript.js';

const mark = '@@ ';
const waitMs = 20_000;
const verdict = '\\echo :ERROR :SQLSTATE :ROW_COUNT :LAST_ERROR_SQLSTATE';

export async function runPsql(url: string, log: Transcript): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'twiceshy-psql-'));
  try {
    const script = [
      ...prologue,
      ...failures(),
      ...texts(),
      ...prepared(),
      ...copies(folder),
      ...largeObjects(folder),
      ...rest(),
    ];
    await session(url, script, log);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  await stops(url, log);
  await refusals(url, log);
  for (let time = 1; time <= repetitions; time += 1) await interrupted(url, log, `interrupted ${time}`);
}

const prologue = ['\\set VERBOSITY verbose', '\\set SHOW_CONTEXT always', '\\pset null NULL'];

function step(name: string, ...lines: readonly string[]): string[] {
  return [`\\echo ${mark}'${name}'`, `\\warn ${mark}'${name}'`, ...lines];
}

function failures(): string[] {
  return failingStatements.flatMap(({ code, sql, before, after, isTextOnly }, index) => {
    const lines: string[] = before === undefined ? [] : [`${before};`];
    for (let time = 1; time <= repetitions; time += 1)
      lines.push(...step(`${code} ${time} #${index}`, `${sql};`, verdict));
    if (isTextOnly !== true) {
      for (let time = 1; time <= repetitions; time += 1)
        lines.push(...step(`${code} ${time} described #${index}`, `${sql} \\gdesc`, verdict));
    }
    return after === undefined ? lines : [...lines, `${after};`];
  });
}

function texts(): string[] {
  return times((time) => [
    ...step(`several ${time}`, 'select 1 as a\\; select 2 as b\\; select 1/0\\; select 3;', verdict),
    ...step(
      `several good ${time}`,
      "select 1 as a\\; update city set name = name\\; select 'x' as b;",
      verdict,
    ),
    ...step(`failed block ${time}`, 'begin;', 'select nope from city;', verdict),
    ...step(`25P02 ${time}`, 'select id from city;', verdict, 'commit;', verdict),
    ...step(
      `deferred ${time}`,
      'insert into slot values (5, 1);',
      verdict,
      'begin;',
      'insert into slot values (5, 1);',
      'commit;',
      verdict,
    ),
    '\\set ON_ERROR_ROLLBACK on',
    ...step(
      `rollback on error ${time}`,
      'begin;',
      'select nope from city;',
      verdict,
      'select count(*) from city;',
      'commit;',
    ),
    '\\set ON_ERROR_ROLLBACK off',
    '\\set FETCH_COUNT 4',
    ...step(
      `fetch count ${time}`,
      'select g from generate_series(1, 10) g;',
      'select 10 / (7 - g) from generate_series(1, 10) g;',
      verdict,
    ),
    '\\unset FETCH_COUNT',
    ...step(
      `cursor ${time}`,
      'begin;',
      'declare c cursor for select 10 / (4 - g) from generate_series(1, 9) g;',
      'fetch 2 from c;',
      'fetch 5 from c;',
      verdict,
      'rollback;',
    ),
    ...step(
      `gset and gexec ${time}`,
      'select 7 as seven \\gset',
      '\\echo :seven',
      "select 'select ' || g || ' / (2 - ' || g || ')' from generate_series(1, 3) g \\gexec",
      verdict,
    ),
  ]);
}

function prepared(): string[] {
  return Array.from({ length: 25 }, (_, index) =>
    step(
      `prepared ${index}`,
      `prepare p${index} (int) as select ${index % 4 === 3 ? 'missing' : 'name'} from city where id = $1;`,
      `execute p${index} (${index % 5});`,
      `execute p${index} ('x');`,
      verdict,
      `deallocate p${index};`,
      verdict,
    ),
  ).flat();
}

function copies(folder: string): string[] {
  const file = join(folder, 'rows.csv');
  writeFileSync(
    file,
    Array.from({ length: 1000 }, (_, index) => `${index},w${'x'.repeat(index % 60)}\n`).join(''),
  );
  return [
    ...step(
      'copy from file',
      `\\copy copied from '${file}' csv`,
      verdict,
      'copy (select * from copied order by id) to stdout;',
    ),
    ...times((time) => [
      ...step(`copy duplicate ${time}`, 'copy copied from stdin;', '5000\tok', '1\tagain', '\\.', verdict),
      ...step(`copy bad value ${time}`, 'copy copied from stdin;', 'x\tbad', '\\.', verdict),
      ...step(`copy unknown ${time}`, 'copy nowhere from stdin;', '1', '\\.', verdict),
      ...step(
        `copy out ${time}`,
        'copy (select nope from city) to stdout;',
        'copy (select 10 / (3 - g) from generate_series(1, 9) g) to stdout;',
        verdict,
      ),
      ...step(`after copy ${time}`, 'select count(*) from copied;'),
    ]),
  ];
}

/** These go as FunctionCall messages, which few clients still send. */
function largeObjects(folder: string): string[] {
  const file = join(folder, 'object.bin');
  writeFileSync(file, 'large object body');
  return [
    ...step(
      'large object',
      'begin;',
      `\\lo_import '${file}'`,
      `\\lo_export :LASTOID '${file}.out'`,
      '\\lo_unlink :LASTOID',
      'commit;',
    ),
    ...times((time) => step(`no large object ${time}`, '\\lo_unlink 999999', 'select 1;')),
  ];
}

function rest(): string[] {
  return [
    ...step('notify', 'listen news;', "notify news, 'hello';", 'select 1;', 'unlisten *;'),
    ...step(
      'settings',
      "set datestyle = 'German';",
      "select date '2024-01-02';",
      'reset datestyle;',
      'show server_version;',
    ),
    ...times((time) => [
      ...step(
        `latin1 ${time}`,
        '\\encoding LATIN1',
        'select name from city order by id;',
        'select "\u00e4\u00f6" from city;',
        verdict,
      ),
      ...step(`utf8 ${time}`, '\\encoding UTF8', 'select "\u00e4\u00f6\u{1f600}" from city;', verdict),
    ]),
    ...step('describe', '\\d city'),
    ...times((time) =>
      step(
        `describe unknown ${time}`,
        '\\d no_such_table',
        "do $$ begin raise warning 'w'; raise exception 'raised'; end $$;",
        verdict,
      ),
    ),
  ];
}

function times(lines: (time: number) => readonly string[]): string[] {
  return Array.from({ length: repetitions }, (_, index) => lines(index + 1)).flat();
}

async function session(url: string, script: readonly string[], log: Transcript): Promise<void> {
  const result = await psql(url, ['-f', '-'], `${script.join('\n')}\n`);
  const stderr = sections(result.stderr);
  for (const [name, stdout] of sections(result.stdout))
    log.add(name, { stdout, stderr: stderr.get(name) ?? null });
  log.add('exit', { code: result.code, steps: stderr.size });
}

function sections(text: string): Map<string, string> {
  const parts = `\n${text}\n`.split(`\n${mark}`);
  return new Map(
    parts.map((part): [string, string] => {
      const [name = '', ...lines] = part.split('\n');
      return [name, lines.join('\n')];
    }),
  );
}

/** The exit code of a script that stops at its first error is part of what a user relies on. */
async function stops(url: string, log: Transcript): Promise<void> {
  for (let time = 1; time <= repetitions; time += 1) {
    log.add(`stops ${time}`, {
      ...(await psql(url, ['-v', 'ON_ERROR_STOP=1', '-c', 'select nope from city', '-c', 'select 2'])),
    });
    log.add(`single ${time}`, {
      ...(await psql(url, ['-At', '-1', '-c', 'select 1', '-c', 'select 1/0', '-c', 'select 3'])),
    });
  }
}

async function refusals(url: string, log: Transcript): Promise<void> {
  const wrongDatabase = new URL(url);
  wrongDatabase.pathname = '/no_such_database';
  const wrongPassword = new URL(url);
  wrongPassword.password = 'wrong';
  for (let time = 1; time <= repetitions; time += 1) {
    log.add(`3D000 ${time}`, { ...(await psql(wrongDatabase.href, ['-c', 'select 1'])) });
    log.add(`28P01 ${time}`, { ...(await psql(wrongPassword.href, ['-c', 'select 1'])) });
  }
}

/** Ctrl-C at a running statement. */
async function interrupted(url: string, log: Transcript, name: string): Promise<void> {
  const child = spawn('psql', ['-X', '-d', url, '-c', 'select pg_sleep(30)'], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await until(() => isSleeping(url), waitMs, 'the statement to run');
  child.kill('SIGINT');
  log.add(name, { code: await ended, stderr });
}

async function isSleeping(url: string): Promise<boolean> {
  const plain = new URL(url);
  // libpq's TLS parameters mean something else to this client.
  plain.search = '';
  const watcher = new pg.Client(plain.href);
  await watcher.connect();
  const query =
    "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";
  const found = await watcher.query(query);
  await watcher.end();
  return found.rowCount === 1;
}

interface PsqlResult {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function psql(url: string, args: readonly string[], input = ''): Promise<PsqlResult> {
  return new Promise((resolve) => {
    const options = { env: environment(), timeout: 60_000, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile('psql', ['-X', '-d', url, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), stdout, stderr });
    });
    child.stdin?.end(input);
  });
}

/** Plain connections: with TLS to one of the two ends only, libpq's list of attempts would differ. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', PGSSLMODE: 'disable', PGGSSENCMODE: 'disable' };
}
