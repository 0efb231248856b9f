/** A client's session through a watched proxy to a scripted server that has let it in. */

import { ScriptedServer } from '../../integration/proxy/scripted-ends.js';
import { startup } from '../../protocol/postgres/frames.js';
import { RawPostgres } from '../../support/raw-postgres.js';
import { watch } from './watched-proxy.js';

/** `end` is the server's side. The client has been sent everything up to the first ReadyForQuery. */
export async function openScriptedSession() {
  const upstream = await new ScriptedServer().listen();
  const proxy = await watch(upstream.port);
  const opening = RawPostgres.open(proxy.through());
  const end = await upstream.connection();
  await end.read(8);
  end.socket.write(Buffer.concat(startup));
  return { upstream, proxy, end, session: await opening };
}
