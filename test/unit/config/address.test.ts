import { describe, expect, it } from 'vitest';
import { formatHostPort, parseHostPort } from '../../../src/config/address.js';
import { isLoopbackHost } from '../../../src/core/loopback.js';

describe('parseHostPort', () => {
  it.each([
    ['127.0.0.1:6432', '127.0.0.1', 6432],
    ['[::1]:6432', '::1', 6432],
    ['db.example.org:1', 'db.example.org', 1],
    [':6432', '127.0.0.1', 6432],
    ['6432', '127.0.0.1', 6432],
    ['0.0.0.0:0', '0.0.0.0', 0],
  ])('%s', (written, host, port) => {
    expect(parseHostPort(written)).toEqual({ host, port });
    expect(parseHostPort(formatHostPort(host, port))).toEqual({ host, port });
  });

  it.each([
    '',
    'host',
    'host:',
    'host:99999',
    '::1:5432',
    'a b:1',
    'postgres://h:1',
    'u@h:1',
    'h:1/db',
    '-1',
  ])('refuses %j', (written) => expect(parseHostPort(written)).toBeNull());
});

describe('isLoopbackHost', () => {
  it.each(['127.0.0.1', '127.8.8.8', '::1', '[::1]', 'localhost', '::ffff:127.0.0.1'])('%s is', (host) =>
    expect(isLoopbackHost(host)).toBe(true),
  );
  it.each(['0.0.0.0', '::', '10.0.0.1', 'localhost.example.org', '127.0.0.1.example.org', ''])(
    '%s is not',
    (host) => expect(isLoopbackHost(host)).toBe(false),
  );
});
