/** The battery as a program of mysql2: query and execute, promises and callbacks, streams, local files, several sessions. */
import { asAccount } from '../../../../servers/mysql-database.js';
import type { MysqlFlavour } from '../../../../servers/mysql-programs.js';
import type { Transcript } from '../../../battery/transcript.js';
import { connect } from './session.js';
import * as several from './several-sessions.js';
import { callbacks, failures, prepared, results, severalStatements, texts } from './statements.js';
import { characterSets, dialects, localFiles, refusedFiles, streams, values } from './transfers.js';

export async function runMysql2(url: string, log: Transcript, flavour: MysqlFlavour): Promise<void> {
  const client = await connect(url);
  const reader = await connect(asAccount(url, { name: 'reader', password: 'readerpw' }));
  await failures({ client, reader }, log, flavour);
  await reader.end();
  for (const part of [texts, results, prepared, values, dialects]) await part(client, log);
  await client.end();
  const many = await connect(url, { multipleStatements: true });
  await severalStatements(many, log);
  await many.end();
  for (const part of [callbacks, streams, localFiles, refusedFiles, characterSets]) await part(url, log);
  for (const part of Object.values(several)) await part(url, log);
}
