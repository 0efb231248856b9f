import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { ownCertificate } from '../../../src/proxy/own-certificate.js';

describe('a certificate of the proxy’s own', () => {
  it('is valid now, for this machine, and for no authority', async () => {
    const { cert, key } = await ownCertificate();
    expect(() => createSecureContext({ cert, key })).not.toThrow();
    const certificate = new X509Certificate(cert);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(Date.parse(certificate.validFrom)).toBeLessThanOrEqual(Date.now());
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now() + 365 * 86_400_000);
  });

  it('is made once', async () => {
    expect(await ownCertificate()).toBe(await ownCertificate());
  });
});
