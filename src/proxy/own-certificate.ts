/**
 * A certificate for listeners that were given none, as database servers make one for themselves at their first start:
 * self-signed, so that clients which take TLS where it is offered can, and clients which verify are not fooled. Made
 * once a process, kept in memory only.
 */
import { generateKeyPair, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { promisify } from 'node:util';

const keyBits = 2_048;
/** Longer than any process runs. */
const validYears = 10;

export interface OwnCertificate {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

let made: Promise<OwnCertificate> | null = null;

/** Takes a good part of a second on another thread, the first time. */
export function ownCertificate(): Promise<OwnCertificate> {
  made ??= makeCertificate();
  return made;
}

async function makeCertificate(): Promise<OwnCertificate> {
  const [{ default: forge }, key] = await Promise.all([import('node-forge'), makeKey()]);
  const { pki, md } = forge;
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(key.publicKey);
  // Positive, as serial numbers must be.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  certificate.validity.notAfter.setFullYear(certificate.validity.notBefore.getFullYear() + validYears);
  const name = [{ name: 'commonName', value: 'twiceshy, certificate made at start' }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false },
    {
      name: 'subjectAltName',
      altNames: [
        { type: 2, value: 'localhost' },
        { type: 2, value: hostname() },
        { type: 7, ip: '127.0.0.1' },
      ],
    },
  ]);
  certificate.sign(pki.privateKeyFromPem(key.privateKey), md.sha256.create());
  return { cert: pki.certificateToPem(certificate), key: key.privateKey };
}

function makeKey(): Promise<{ publicKey: string; privateKey: string }> {
  return promisify(generateKeyPair)('rsa', {
    modulusLength: keyBits,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
}
