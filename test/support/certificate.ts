/** A self-signed certificate for 127.0.0.1, valid for the test that makes it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../servers/run-command.js';

export interface Certificate {
  /** Paths of PEM files. */
  readonly cert: string;
  readonly key: string;
  remove(): void;
}

export async function makeCertificate(): Promise<Certificate> {
  const folder = mkdtempSync(join(tmpdir(), 'twiceshy-certificate-'));
  const cert = join(folder, 'server.crt');
  const key = join(folder, 'server.key');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  await runCommand('openssl', [...kind, ...subject, '-keyout', key, '-out', cert]);
  return { cert, key, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
