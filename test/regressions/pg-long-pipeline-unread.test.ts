// A client that sends for long before it reads (libpq_pipeline's uniqviol test) was given up at 65,536 messages, while
// fewer messages with long texts could hold a gigabyte.
import { expect, test } from 'vitest';
import { PostgresObserver } from '../../adapters/postgres/observer.js';
import type { BlindReason } from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import { client, server, startup } from '../protocol/postgres/frames.js';
import { testSession } from '../support/session-context.js';

function observe() {
  const failed: string[] = [];
  const blind: BlindReason[] = [];
  const observer = new PostgresObserver({
    session: testSession(),
    handler: {
      wantsSuccess: false,
      failed(failure) {
        failed.push(`${failure.statement?.text() ?? '?'} ${failure.phase}`);
        return null;
      },
      settled: () => undefined,
      succeeded: () => undefined,
      schemaChanged: () => undefined,
      noteAttached: () => undefined,
      bypassed: (reason) => failed.push(`bypassed ${reason}`),
      warned: () => undefined,
    },
    onBlind: (reason) => blind.push(reason),
    onCancelKey: () => undefined,
    onReady: () => undefined,
    listenerAddress: '127.0.0.1:1',
  });
  const out = { write: () => undefined };
  for (const message of startup) observer.toClient(message, out);
  return { observer, out, failed, blind };
}

test('a pipeline of 300,000 executions is followed to its end', () => {
  const { observer, out, failed, blind } = observe();
  const executions = 300_000;
  observer.toServer(Buffer.concat([client.parse('ins', 'insert into t values ($1)'), client.sync()]));
  observer.toClient(Buffer.concat([server.parseComplete(), server.ready('I')]), out);
  const batch = 1_000;
  const one = [client.bind('', 'ins'), client.describe('P', ''), client.execute('')];
  const sent = Buffer.concat(Array.from({ length: batch }, () => one).flat());
  for (let count = 0; count < executions; count += batch) observer.toServer(Buffer.from(sent));
  observer.toServer(Buffer.concat([...one, client.sync()]));
  const answer = [server.bindComplete(), server.noData(), server.complete('INSERT 0 1')];
  const received = Buffer.concat(Array.from({ length: batch }, () => answer).flat());
  for (let count = 0; count < executions; count += batch) observer.toClient(Buffer.from(received), out);
  observer.toClient(Buffer.concat([server.bindComplete(), server.noData()]), out);
  observer.toClient(Buffer.concat([server.error('23505'), server.ready('I')]), out);
  expect(blind).toEqual([]);
  expect(failed).toEqual(['insert into t values ($1) execute']);
  // The next cycle finds its place, in a ring made small again.
  observer.toServer(client.query('select 1/0'));
  observer.toClient(Buffer.concat([server.error('22012'), server.ready('I')]), out);
  expect(failed.at(-1)).toBe('select 1/0 execute');
  observer.end(out);
});

test('texts that nobody reads the answers to are let go at a bound', () => {
  const { observer, out, blind } = observe();
  const textBytes = 60_000;
  const cycle = Buffer.concat([
    client.parse('', `select ${'x'.repeat(textBytes)}`),
    client.bind('', ''),
    client.execute(''),
  ]);
  const enough = Math.ceil(limits.maxExpectedReplyBytes / textBytes);
  let sent = 0;
  for (; blind.length === 0 && sent <= enough; sent += 1) observer.toServer(Buffer.from(cycle));
  expect(blind).toEqual(['expected_replies_over_limit']);
  expect(sent).toBeGreaterThan(enough * 0.9);
  observer.end(out);
});
