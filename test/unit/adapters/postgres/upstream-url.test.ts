import { describe, expect, test } from 'vitest';
import { parseUrl } from '../../../../adapters/postgres/upstream-url.js';
import { TwiceshyError } from '../../../../src/core/errors.js';

const whole = { host: 'db.example', port: 6543, user: 'ann', password: 'p@ss:/w', database: 'shop' };

describe('addresses', () => {
  test.each([
    ['postgres://ann:p%40ss%3A%2Fw@db.example:6543/shop', whole],
    ['postgresql://ann:p%40ss:%2Fw@db.example:6543/shop', whole],
    ['POSTGRES://ann@db.example', { ...whole, port: 5432, password: '', database: 'ann' }],
    ['postgres://db.example/shop', { ...whole, port: 5432, user: 'postgres', password: '' }],
    ['postgres://', { host: 'localhost', port: 5432, user: 'postgres', password: '', database: 'postgres' }],
    ['postgres://ann@[::1]:6543/shop', { ...whole, host: '::1', password: '' }],
    ['postgres://ann@[fe80::1]/shop', { ...whole, host: 'fe80::1', port: 5432, password: '' }],
    ['postgres:///shop?host=db.example&port=6543&user=ann&password=p%40ss:/w', whole],
    ['postgres://a+b:c+d@h/x+y', { host: 'h', port: 5432, user: 'a+b', password: 'c+d', database: 'x+y' }],
    [
      'postgres://h/d?application_name=x#part',
      { ...whole, host: 'h', port: 5432, user: 'postgres', password: '', database: 'd' },
    ],
  ])('%s', (url, address) => {
    expect(parseUrl(url).address).toEqual(address);
  });
});

describe('TLS', () => {
  test.each([
    ['', null, null],
    ['?sslmode=disable', 'disable', null],
    ['?sslmode=allow', 'allow', null],
    ['?sslmode=prefer', 'prefer', null],
    ['?sslmode=require', 'require', null],
    ['?sslmode=verify-full', 'verify-full', null],
    ['?sslmode=verify-ca', 'verify-full', null],
    ['?sslmode=verify-ca&sslrootcert=ca.pem', 'require', 'ca.pem'],
    ['?sslrootcert=%2Fetc%2Fca.pem', null, '/etc/ca.pem'],
    ['?sslrootcert=system', 'verify-full', null],
    ['?sslmode=verify-full&sslrootcert=system', 'verify-full', null],
  ])('%s', (query, tlsMode, serverCaFile) => {
    expect(parseUrl(`postgres://h/d${query}`)).toMatchObject({ tlsMode, serverCaFile });
  });
});

describe('what is refused says why and holds no secret', () => {
  test.each([
    ['mysql://a:hunter2@h/d', 'postgres://'],
    ['a:hunter2@h', 'postgres://'],
    ['postgres:a:hunter2@h', '//'],
    ['postgres://a:hunter2@h:0/d', 'port'],
    ['postgres://a:hunter2@h:65536/d', 'port'],
    ['postgres://a:hunter2@h:54x/d', 'port'],
    ['postgres://a:hunter2@one,two/d', 'several hosts'],
    ['postgres://a:hunter2@/d?host=one,two', 'several hosts'],
    ['postgres://a:hunter2@%2Frun%2Fpostgresql/d', 'Unix socket'],
    ['postgres://a:hunter2@/d?host=/run/postgresql', 'Unix socket'],
    ['postgres://a:hunter2@::1/d', 'brackets'],
    ['postgres://a:hunter2%@h/d', 'percent'],
    ['postgres://a:hunter2%00@h/d', 'zero byte'],
    ['postgres://a:hunter2@h/d?sslmode=strict', 'sslmode'],
    ['postgres://a:hunter2@h/d?sslmode=toString', 'sslmode'],
    ['postgres://a:hunter2@h/d?sslcert=x', 'tls.cert'],
    ['postgres://a:hunter2@h/d?ssl=true', 'sslmode'],
    ['postgres://a:hunter2@h/d?sslmode=require&sslrootcert=system', 'verify-full'],
  ])('%s', (url, part) => {
    let message = '';
    try {
      parseUrl(url);
    } catch (error) {
      expect(error).toBeInstanceOf(TwiceshyError);
      expect((error as TwiceshyError).code).toBe('CONFIG_INVALID');
      message = (error as Error).message;
    }
    expect(message).toContain(part);
    expect(message).not.toContain('hunter2');
  });
});
