// A chunk of TCP was taken for a message: a query above 64 KB crashed the server (electric-sql/pglite#775), a message
// that had not fully arrived was consumed (neondatabase/neon#66), a frame cut by a segment was parsed as two
// (adelsz/pgtyped#487).
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { client, server as reply } from '../protocol/postgres/frames.js';
import { createDatabase } from '../servers/database.js';
import { roles } from '../servers/roles.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { startRelay } from '../support/tcp-relay.js';
import { until } from '../support/until.js';
import { errorsIn, letters } from './support/frames.js';
import { openScriptedSession } from './support/scripted-session.js';
import { noteMark, watch, wireNote } from './support/watched-proxy.js';

afterEach(stopProxies);

it.each([
  ['within the length', 3],
  ['between type and length', 1],
  ['at the end of the header', 5],
  ['within the message field', 40],
  ['before the last byte', -1],
])('an ErrorResponse cut %s is annotated once', async (_where, cut) => {
  const { upstream, end, session } = await openScriptedSession();
  const error = reply.error('22012', { M: 'division by zero', D: 'detail' });
  const at = cut < 0 ? error.length + cut : cut;
  for (let time = 1; time <= 2; time += 1) {
    await session.send(client.query('select 1/0'));
    await until(() => end.bytes.includes('select 1/0'), 10_000, 'the query');
    const before = session.frames.length;
    end.socket.write(Buffer.concat([reply.rowDescription(), error.subarray(0, at)]));
    // The row description has passed, so the first part of the error has been read with it.
    await until(() => session.frames.length > before, 10_000, 'the row description');
    end.socket.write(Buffer.concat([error.subarray(at), reply.ready('I')]));
    const frames = await session.ready(1);
    expect(letters(frames)).toBe('TE[22012]Z');
    expect(errorsIn(frames)).toEqual([
      {
        ...{ S: 'ERROR', V: 'ERROR', C: '22012', D: 'detail' },
        ...(time === 1
          ? { M: 'division by zero' }
          : { M: `division by zero\n${wireNote.short}`, H: wireNote.long }),
      },
    ]);
  }
  session.close();
  await upstream.stopListening();
});

it('a row description of 70 KB cut at 64 KB passes as it is, and the error after it is annotated', async () => {
  const { upstream, proxy, end, session } = await openScriptedSession();
  // Zeros and letters that look like frames of their own wherever a reader starts.
  const big = reply.raw('T', Buffer.alloc(70_000, 'E\0\0\0\x04Z\0\0\0\x05I'));
  const answer = Buffer.concat([big, reply.error('22012'), reply.ready('I')]);
  for (let time = 1; time <= 2; time += 1) {
    await session.send(client.query('select wide'));
    const before = session.socket.bytesRead;
    end.socket.write(answer.subarray(0, 65_536));
    await until(() => session.socket.bytesRead >= before + 65_536, 10_000, 'the first 64 KB');
    end.socket.write(answer.subarray(65_536));
    const frames = await session.ready(1);
    expect(letters(frames)).toBe('TE[22012]Z');
    expect(frames[0]?.body.equals(big.subarray(5))).toBe(true);
    expect(errorsIn(frames)[0]?.['M']?.includes(noteMark)).toBe(time === 2);
  }
  expect(proxy.blind).toEqual([]);
  session.close();
  await upstream.stopListening();
});

describeEachPostgres('in pieces', (server) => {
  it.each([
    ['1 byte', 1, 3_000],
    ['1400 bytes', 1400, 200_000],
  ])('of %s, a long statement is seen whole', async (_size, pieceBytes, literalBytes) => {
    const database = await createDatabase(
      server.url,
      'create table big (id int primary key, body text); grant all on big to trust_user',
    );
    const proxy = await watch(database.url);
    const session = await RawPostgres.open(proxy.through(database.url), { pieceBytes });
    const text = `insert into big values (1, '${'v'.repeat(literalBytes)}')`;
    const answers: string[] = [];
    for (let time = 1; time <= 3; time += 1) {
      await session.send(client.query(text));
      const frames = await session.ready(1);
      answers.push(letters(frames) + (errorsIn(frames)[0]?.['H']?.includes(noteMark) ? ' noted' : ''));
    }
    expect(answers).toEqual(['CZ', 'E[23505]Z', 'E[23505]Z noted']);
    const failed = proxy.sessions[0]?.events.filter((event) => event.startsWith('failed'));
    const seen = text.slice(0, 65_536);
    expect(failed).toEqual(Array(2).fill(`failed 23505 <${seen}> execute k=0 idle`));
    session.close();
    await database.drop();
  });

  it('of 1 byte on both legs, psql gets what it asks for', async () => {
    const database = await createDatabase(
      server.url,
      'create table copied (id int primary key, word text); grant all on copied to trust_user',
    );
    const { hostname, port } = new URL(server.url);
    const upstream = await startRelay({ targetHost: hostname, targetPort: Number(port), pieceBytes: 1 });
    const proxy = await watch(upstream.port);
    const near = await startRelay({ targetHost: '127.0.0.1', targetPort: proxy.proxy.port, pieceBytes: 1 });
    const folder = mkdtempSync(join(tmpdir(), 'twiceshy-pieces-'));
    const file = join(folder, 'rows');
    const rows = Array.from({ length: 20 }, (_, index) => `${index}\tword ${index}\n`).join('');
    writeFileSync(file, rows);
    const url = new URL(near.through(database.url));
    url.username = String(roles.find(({ method }) => method === 'trust')?.name);
    const script = [
      'select 1;',
      'select 1/0;',
      'select 1/0;',
      `\\copy copied from '${file}'`,
      '\\copy copied to stdout',
    ];
    const { stdout, stderr } = await psql(url.href, script);
    rmSync(folder, { recursive: true });
    expect(stdout).toBe(`1\nCOPY 20\n${rows}`);
    expect(stderr.split(noteMark)).toHaveLength(3);
    expect(stderr.split('division by zero')).toHaveLength(3);
    expect(proxy.blind).toEqual([]);
    await near.close();
    await upstream.close();
    await database.drop();
  });
});

function psql(url: string, script: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], PGSSLMODE: 'disable', PGGSSENCMODE: 'disable' };
    const child = execFile('psql', ['-X', '-At', '-d', url, '-f', '-'], { env }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
    child.stdin?.end(script.join('\n'));
  });
}
