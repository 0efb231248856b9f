import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryCommand } from '../../../src/cli/memory.js';
import type { MemoryIo } from '../../../src/cli/memory-output.js';
import type { TwiceshyError } from '../../../src/core/errors.js';
import type { MemoryEvent } from '../../../src/core/memory/record.js';
import { openJsonlStore } from '../../../src/storage/jsonl/store.js';
import { at, failure, feedback, idOf, observed, retracted } from '../../contract/store-events.js';

let root: string;
let folder: string;

interface Run {
  readonly out: string;
  readonly err: string;
  readonly error: TwiceshyError | null;
}

interface Surroundings {
  readonly columns?: number;
  readonly input?: string;
  readonly isTerminal?: boolean;
}

async function run(args: readonly string[], around: Surroundings = {}): Promise<Run> {
  const collect = (): { stream: PassThrough; text: () => string } => {
    const stream = new PassThrough();
    let text = '';
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    return { stream, text: () => text };
  };
  const out = collect();
  const err = collect();
  const io: MemoryIo = {
    stdin: Object.assign(Readable.from(around.input === undefined ? [] : [Buffer.from(around.input)]), {
      isTTY: around.isTerminal === true,
    }),
    stdout: Object.assign(out.stream, around.columns === undefined ? {} : { columns: around.columns }),
    stderr: err.stream,
    env: {},
  };
  let error: TwiceshyError | null = null;
  try {
    await memoryCommand(io).parseAsync([...args, '--memory', folder], { from: 'user' });
  } catch (thrown) {
    error = thrown as TwiceshyError;
  }
  out.stream.end();
  err.stream.end();
  return { out: out.text(), err: err.text(), error };
}

async function remember(events: readonly MemoryEvent[]): Promise<void> {
  const store = await openJsonlStore(folder);
  await store.add(events);
  await store.close();
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twiceshy-cli-'));
  folder = join(root, 'memory');
});
afterEach(() => rm(root, { recursive: true }));

describe('memory list', () => {
  const hostile = '\u001b[2J\u202e"evil\u0007"';
  beforeEach(() =>
    remember([
      failure(1),
      failure(2, { class: 'undefined_object', code: '42703', tables: ['public.users'], at: at(50) }),
      failure(3, { scope: { upstream: 'shop', database: 'other' } }),
      failure(4, { shape: `select ${hostile}`, object: { kind: 'name', name: hostile } }),
      failure(5),
      retracted(5, 6),
      observed(1, 100, 4),
    ]),
  );

  it('shows what is live, latest first', async () => {
    const { out } = await run(['list']);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ID +DATABASE +CLASS +OBJECT +TIMES +LAST SEEN \(UTC\) +SHAPE$/);
    expect(lines.slice(1).map((line) => line.split(' ')[0])).toEqual([1, 2, 4, 3].map(idOf));
    expect(lines[1]).toMatch(/unique_violation +table_1_email_key +5 +2026-01-01 00:01 +insert into table_1/);
  });

  it('fits the terminal', async () => {
    for (const columns of [80, 100, 132, 200]) {
      const { out } = await run(['list', '--status', 'all'], { columns });
      for (const line of out.trimEnd().split('\n')) expect([...line].length).toBeLessThanOrEqual(columns);
    }
  });

  it('shows nothing that a terminal would act on', async () => {
    for (const args of [
      ['list'],
      ['list', '--json'],
      ['show', idOf(4)],
      ['show', idOf(4), '--json'],
      ['export'],
    ]) {
      const { out } = await run(args);
      if (args[0] !== 'export') expect(out, args.join(' ')).not.toMatch(/\p{Cf}/u);
      expect(out.replaceAll('\n', ''), args.join(' ')).not.toMatch(/\p{Cc}/u);
    }
    expect((await run(['list'])).out).toContain('select \\x1b[2J\\u202e"evil\\x07"');
  });

  it.each([
    [['--class', 'undefined_object'], [2]],
    [['--class', 'undefined_object,unique_violation', '--table', 'table_1'], [1]],
    [['--table', 'users'], [2]],
    [['--table', 'public.users'], [2]],
    [['--table', 'sers'], []],
    [['--database', 'other'], [3]],
    [['--upstream', 'nowhere'], []],
    [['--status', 'retracted'], [5]],
    [
      ['--status', 'all', '--limit', '2'],
      [1, 2],
    ],
    [
      ['--limit', '0'],
      [1, 2, 4, 3],
    ],
  ])('filters by %j', async (args, ids) => {
    const { out } = await run(['list', '--json', ...args]);
    const records = JSON.parse(out) as { id: string }[];
    expect(records.map(({ id }) => id)).toEqual(ids.map(idOf));
  });

  it('says how many are left out', async () => {
    expect((await run(['list', '--limit', '1'])).out).toContain('1 of 4 records; --limit 0 shows all.');
    expect((await run(['list', '--table', 'nope'])).out).toBe('No live records match.\n');
  });

  it.each([
    [['list', '--class', 'no_such']],
    [['list', '--status', 'gone']],
    [['list', '--limit', 'many']],
    [['list', '--limit', '-1']],
  ])('takes %j for wrong usage', async (args) => {
    expect((await run(args)).error).toMatchObject({ code: 'USAGE', exitCode: 2 });
  });

  it('works while another process writes', async () => {
    const store = await openJsonlStore(folder);
    await store.add([failure(9)]);
    expect(JSON.parse((await run(['list', '--json'])).out)).toHaveLength(5);
    await store.close();
  });
});

describe('memory show', () => {
  it('tells all of a record and its history', async () => {
    await remember([failure(0xabc), observed(0xabc, 3000, 2, 1), feedback(0xabc, 3001, 'ignored')]);
    const { out } = await run(['show', '0000000000000ABC'], { columns: 80 });
    expect(out).toMatch(
      /^id +0000000000000abc\nstatus +live\nfailure +unique_violation \(postgresql 23505\)/,
    );
    expect(out).toContain('failed 2 times more, ran once');
    expect(out).toContain('note ignored once');
    const json = JSON.parse((await run(['show', idOf(0xabc), '--json'])).out);
    expect(json).toMatchObject({ id: idOf(0xabc), failures: 3 });
    expect(json.history).toHaveLength(3);
  });

  it('wants a prefix that names one record', async () => {
    await remember([failure(1, { id: 'aa00000000000001' }), failure(2, { id: 'aa00000000000002' })]);
    const { error } = await run(['show', 'aa']);
    expect(error).toMatchObject({ code: 'USAGE' });
    expect(error?.message).toContain('aa00000000000001');
    expect(error?.message).toContain('aa00000000000002');
    expect((await run(['show', 'bb'])).error).toMatchObject({ code: 'RECORD_NOT_FOUND', exitCode: 1 });
    expect((await run(['show', 'not-hex'])).error).toMatchObject({ code: 'USAGE' });
  });
});

describe('memory export and import', () => {
  const events = [failure(1), failure(2), observed(1, 9, 2), retracted(2, 10)];
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');

  it('carry a memory over unchanged', async () => {
    await remember(events);
    const file = join(root, 'all.jsonl');
    expect((await run(['export', file])).err).toBe(`Exported 2 records (4 events) to ${file}.\n`);
    expect(await readFile(file, 'utf8')).toBe(lines);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await run(['export'])).out).toBe(lines);
    const before = (await run(['list', '--json', '--status', 'all'])).out;

    folder = join(root, 'second');
    expect((await run(['import', file])).out).toBe('Imported 2 records (4 events).\n');
    expect((await run(['list', '--json', '--status', 'all'])).out).toBe(before);
    const again = await run(['import', file, '--json']);
    expect(JSON.parse(again.out)).toEqual({
      imported: { records: 0, events: 0 },
      skipped: { knownRecords: 2, unmatchedEvents: 0 },
      dryRun: false,
    });
    expect((await run(['list', '--json', '--status', 'all'])).out).toBe(before);
  });

  it('export the chosen records with their whole history', async () => {
    await remember(events);
    const { out } = await run(['export', '--status', 'retracted']);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([failure(2), retracted(2, 10)]);
  });

  it('import from stdin, skipping what matches nothing', async () => {
    const { out } = await run(['import', '-'], { input: `${lines}\n${JSON.stringify(observed(7, 1))}` });
    expect(out).toBe(
      'Imported 2 records (4 events).\nSkipped 1 events of records that are not in the file.\n',
    );
  });

  it.each([
    ['no JSON', '{"v":1,', 'line 5: expected one JSON object'],
    ['a missing field', JSON.stringify({ ...failure(3), code: undefined }), 'line 5: code: expected'],
    ['an unknown kind', JSON.stringify({ ...failure(3), event: 'failur' }), 'line 5: event: a kind'],
    ['bytes that are no text', Buffer.from([0x22, 0xff, 0x22]), 'line 5: not UTF-8'],
    ['a line without an end', Buffer.alloc(3_000_000, 'x'), 'line 5: longer than any event'],
  ])('import nothing where a line is wrong: %s', async (_name, bad, message) => {
    await remember([failure(8)]);
    const before = await readFile(join(folder, 'memory.jsonl'), 'utf8');
    const file = join(root, 'bad.jsonl');
    await writeFile(file, Buffer.concat([Buffer.from(lines), Buffer.from(bad), Buffer.from('\n')]));
    for (const args of [
      ['import', file],
      ['import', file, '--dry-run'],
    ]) {
      const { error } = await run(args);
      expect(error).toMatchObject({ code: 'IMPORT_INVALID', exitCode: 1 });
      expect(error?.message).toContain(message);
    }
    expect(await readFile(join(folder, 'memory.jsonl'), 'utf8')).toBe(before);
  });

  it('import --dry-run changes nothing, not even a folder', async () => {
    const { out } = await run(['import', '-', '--dry-run'], { input: lines });
    expect(out).toBe('Would import 2 records (4 events).\n');
    await expect(stat(folder)).rejects.toThrow('ENOENT');
  });

  it('say so when a file cannot be read or written', async () => {
    await remember(events);
    expect((await run(['import', join(root, 'nope')])).error).toMatchObject({ code: 'USAGE', exitCode: 2 });
    expect((await run(['export', join(root, 'no', 'where')])).error).toMatchObject({ code: 'EXPORT_FAILED' });
  });
});

describe('memory retract and clear', () => {
  beforeEach(() => remember([failure(0xaa1), failure(0xbb2)]));

  it('retract keeps the record and its history', async () => {
    expect((await run(['retract', idOf(0xaa1), '--reason', 'gone', '--author', 'me'])).out).toBe(
      `Retracted ${idOf(0xaa1)}.\n`,
    );
    const shown = JSON.parse((await run(['show', idOf(0xaa1), '--json'])).out);
    expect(shown).toMatchObject({ status: 'retracted', statusReason: 'gone (me)' });
    expect(JSON.parse((await run(['list', '--json'])).out)).toHaveLength(1);
    expect((await run(['retract', idOf(0xaa1), '--reason', 'gone'])).out).toContain('nothing changed');
  });

  it('retract wants a reason', async () => {
    for (const args of [[], ['--reason', '  '], ['--reason', 'x'.repeat(501)]]) {
      const { error } = await run(['retract', idOf(0xaa1), ...args]);
      expect(error).toMatchObject({ code: 'USAGE', exitCode: 2 });
    }
  });

  it('clear asks, and does nothing without a yes', async () => {
    const refused = await run(['clear']);
    expect(refused.error).toMatchObject({ code: 'USAGE', exitCode: 2 });
    for (const input of ['no\n', '\n', '']) {
      expect((await run(['clear'], { input, isTerminal: true })).out).toBe('Nothing was changed.\n');
    }
    expect(JSON.parse((await run(['list', '--json'])).out)).toHaveLength(2);
    expect((await run(['clear'], { input: 'yes\n', isTerminal: true })).out).toBe('Forgot 2 records.\n');
    expect((await run(['list', '--status', 'all'])).out).toBe('No records match.\n');
    expect((await run(['clear', '--yes'])).out).toBe('Forgot 0 records.\n');
  });

  it('are refused while another process writes, naming it', async () => {
    const store = await openJsonlStore(folder);
    const file = join(root, 'some.jsonl');
    await run(['export', file]);
    for (const args of [
      ['retract', idOf(0xaa1), '--reason', 'r'],
      ['clear', '--yes'],
      ['import', file],
    ]) {
      const { error } = await run(args);
      expect(error, args[0]).toMatchObject({ code: 'MEMORY_LOCKED', exitCode: 1 });
      expect(error?.message).toContain(`process ${process.pid}`);
    }
    await store.close();
  });

  it('need a memory', async () => {
    folder = join(root, 'nowhere');
    for (const args of [
      ['list'],
      ['show', 'aa'],
      ['export'],
      ['retract', 'aa', '--reason', 'r'],
      ['clear', '--yes'],
    ]) {
      expect((await run(args)).error, args[0]).toMatchObject({ code: 'MEMORY_UNREADABLE', exitCode: 1 });
    }
    await expect(stat(folder)).rejects.toThrow('ENOENT');
  });
});
