// A proxy reported the loss of its server with a ReadyForQuery amid an extended sequence; libpq saw a message while
// idle (postgresml/pgcat#137).
import { afterEach, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { client, server as reply } from '../protocol/postgres/frames.js';
import { until } from '../support/until.js';
import { letters } from './support/frames.js';
import { openScriptedSession } from './support/scripted-session.js';

afterEach(stopProxies);

it.each([
  ['before the sequence', 0],
  ['within it', 1],
  ['behind a part of an error', 2],
])('the server is lost %s: the client sees an end and no message of ours', async (_when, stage) => {
  const { upstream, end, session } = await openScriptedSession();
  await session.ready(0);
  const received = session.socket.bytesRead;
  const sequence = [
    client.parse('', 'select 1'),
    client.bind('', ''),
    client.describe('P', ''),
    client.execute(''),
  ];
  const error = reply.error('22012');
  if (stage === 0) end.socket.resetAndDestroy();
  await session.send(Buffer.concat([...sequence, client.sync()]));
  if (stage > 0) {
    await until(() => end.bytes.includes('select 1'), 10_000, 'the sequence');
    const part = stage === 1 ? [] : [error.subarray(0, 20)];
    end.socket.end(Buffer.concat([reply.parseComplete(), reply.bindComplete(), ...part]));
  }
  await session.ended();
  expect(letters(session.frames).replace(/.*Z/, '')).toBe(stage === 0 ? '' : '12');
  // Also the part of an error that was held back is handed out, as it came.
  expect(session.socket.bytesRead - received).toBe(stage === 0 ? 0 : stage === 1 ? 10 : 30);
  session.close();
  await upstream.stopListening();
});
