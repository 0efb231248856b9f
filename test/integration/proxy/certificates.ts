/** A throw-away CA and certificates signed by it, made by openssl once for a test file. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  readonly ca: string;
  /** For localhost and 127.0.0.1. */
  readonly local: KeyPair;
  /** For a name that is not ours, by the same CA. */
  readonly elsewhere: KeyPair;
}

export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'twiceshy-certs-'));
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const pair = (name: string, subjectAltName: string): KeyPair => {
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${subjectAltName}\n`);
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...signed,
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    );
    return { cert: read(`${name}.pem`), key: read(`${name}.key`) };
  };
  try {
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=test ca',
    );
    return {
      ca: read('ca.pem'),
      local: pair('local', 'DNS:localhost,IP:127.0.0.1'),
      elsewhere: pair('elsewhere', 'DNS:elsewhere.example'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
