/** An authority of tests and a certificate for this machine signed by it, as files that last as long as a server. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './run-command.js';

const days = '3650';

/** Writes ca.crt, server.crt and server.key into `folder`, which other users can read but for the keys. */
export async function makeServerCertificate(
  folder: string,
): Promise<{ readonly ca: string; readonly cert: string; readonly key: string }> {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const at = (name: string): string => join(folder, name);
  const [ca, caKey, cert, key] = [at('ca.crt'), at('ca.key'), at('server.crt'), at('server.key')];
  const newKey = ['-newkey', 'rsa:2048', '-nodes'];
  await openssl(
    'req',
    '-x509',
    ...newKey,
    '-days',
    days,
    '-subj',
    '/CN=twiceshy test authority',
    '-keyout',
    caKey,
    '-out',
    ca,
  );
  const names = at('names.cnf');
  writeFileSync(names, 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const request = at('server.csr');
  await openssl('req', ...newKey, '-subj', '/CN=localhost', '-keyout', key, '-out', request);
  const signing = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-days', days, '-extfile', names];
  await openssl('x509', '-req', '-in', request, ...signing, '-out', cert);
  return { ca, cert, key };
}

function openssl(...args: readonly string[]): Promise<string> {
  return runCommand('openssl', args);
}
