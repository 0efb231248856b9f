/** How a test asks for real servers: `describeEachPostgres` for all of them, `describePostgres` for one that will do. */
import { describe, inject, it } from 'vitest';

export interface AvailableServer {
  readonly name: string;
  readonly url: string;
}

/** Declares `body` once per server; one that cannot be had shows as a skipped group that names what is missing. */
export function describeEachPostgres(title: string, body: (server: AvailableServer) => void): void {
  for (const server of inject('postgresServers')) {
    if ('url' in server) describe(`${title} on ${server.name}`, () => body(server));
    else skipped(title, server.missing);
  }
}

/** Declares `body` for the first server there is. */
export function describePostgres(title: string, body: (server: AvailableServer) => void): void {
  const servers = inject('postgresServers');
  const first = servers.find((server): server is AvailableServer => 'url' in server);
  if (first !== undefined) describe(`${title} on ${first.name}`, () => body(first));
  else skipped(title, servers.map((server) => ('missing' in server ? server.missing : '')).join('; '));
}

function skipped(title: string, reason: string): void {
  describe.skip(`${title} (skipped: ${reason})`, () => {
    it('needs a server', () => {});
  });
}
