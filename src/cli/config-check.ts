/** Says whether a configuration would start, without starting it. */
import { adapterFor } from '../app.js';
import { formatHostPort } from '../config/address.js';
import { loadConfigFile } from '../config/load.js';
import { TwiceshyError } from '../core/errors.js';
import { isLoopbackHost } from '../core/loopback.js';
import { print } from './output.js';

/** Prints what each listener would do; throws `CONFIG_INVALID` with every problem. */
export function checkConfig(file: string | undefined): void {
  if (file === undefined)
    throw new TwiceshyError('USAGE', 'Name the configuration: twiceshy config check -c config.yaml');
  const config = loadConfigFile(file, { env: process.env, adapterFor });
  for (const { name, host, port, upstream, audience } of config.listeners) {
    const { address, tls } = upstream;
    const server = `${formatHostPort(address.host, address.port)} (TLS ${tls.mode})`;
    const isOpen = isLoopbackHost(host) ? '' : ', reachable from the network';
    print(
      `${name}: ${formatHostPort(host, port)} -> ${upstream.name} at ${server}, audience ${audience}${isOpen}`,
    );
  }
  print(`${file}: ok`);
}
