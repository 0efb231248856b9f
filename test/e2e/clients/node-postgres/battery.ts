/** The battery as a program of node-postgres: promises, callbacks, prepared statements, cursors, streams, COPY. */
import type { Transcript } from '../../battery/transcript.js';
import { connect } from './session.js';
import * as several from './several-sessions.js';
import { deferred, failures, prepared, texts } from './statements.js';
import { copies, portals, streams } from './streams.js';
import { bigValues, encodings } from './values.js';

export async function runNodePostgres(url: string, log: Transcript): Promise<void> {
  const client = await connect(url, log);
  const parts = [failures, texts, deferred, prepared, portals, streams, copies, encodings, bigValues];
  for (const part of parts) await part(client, log);
  await client.end();
  await several.notifications(url, log);
  await several.conflicts(url, log);
  await several.pipelined(url, log);
  await several.cancelled(url, log);
  await several.terminated(url, log);
  await several.refusedLogins(url, log);
}
