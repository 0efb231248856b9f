import { describe, expect, test } from 'vitest';
import { parseUrl } from '../../../../adapters/mysql/upstream-url.js';
import { TwiceshyError } from '../../../../src/core/errors.js';

const whole = { host: 'db.example', port: 6306, user: 'ann', password: 'p@ss:/w', database: 'shop' };
const nobody = { port: 3306, user: 'root', password: '', database: '' };

describe('addresses', () => {
  test.each([
    ['mysql://ann:p%40ss%3A%2Fw@db.example:6306/shop', whole],
    ['mariadb://ann:p%40ss:%2Fw@db.example:6306/shop', whole],
    ['MySQL://ann@db.example', { ...whole, port: 3306, password: '', database: '' }],
    ['mysql://db.example/shop', { ...whole, port: 3306, user: 'root', password: '' }],
    ['mysql://', { ...nobody, host: 'localhost' }],
    ['mysql://ann@[::1]:6306/shop', { ...whole, host: '::1', password: '' }],
    ['mysql://[fe80::1]/', { ...nobody, host: 'fe80::1' }],
    ['mysql://a+b:c+d@h/x+y', { host: 'h', port: 3306, user: 'a+b', password: 'c+d', database: 'x+y' }],
    ['mysql://a:b@c@h/d#part', { host: 'h', port: 3306, user: 'a', password: 'b@c', database: 'd' }],
  ])('%s', (url, address) => {
    expect(parseUrl(url).address).toEqual(address);
  });
});

describe('TLS', () => {
  test.each([
    ['', null, null],
    ['?ssl-mode=DISABLED', 'disable', null],
    ['?ssl-mode=PREFERRED', 'prefer', null],
    ['?ssl_mode=REQUIRED', 'require', null],
    ['?sslMode=required', 'require', null],
    ['?ssl-mode=VERIFY_IDENTITY', 'verify-full', null],
    ['?ssl-mode=VERIFY_CA', 'verify-full', null],
    ['?ssl-mode=VERIFY_CA&ssl-ca=ca.pem', 'require', 'ca.pem'],
    ['?sslmode=verify-ca&sslrootcert=ca.pem', 'require', 'ca.pem'],
    ['?sslmode=disable', 'disable', null],
    ['?sslmode=allow', 'allow', null],
    ['?sslmode=prefer', 'prefer', null],
    ['?sslmode=require', 'require', null],
    ['?sslmode=verify-full', 'verify-full', null],
    ['?ssl-ca=%2Fetc%2Fca.pem', null, '/etc/ca.pem'],
    ['?ssl_ca=a+b.pem&ssl_mode=verify_identity', 'verify-full', 'a+b.pem'],
  ])('%s', (query, tlsMode, serverCaFile) => {
    expect(parseUrl(`mysql://h/d${query}`)).toMatchObject({ tlsMode, serverCaFile });
  });
});

describe('what is refused says why and holds no secret', () => {
  test.each([
    ['postgres://a:hunter2@h/d', 'mysql://'],
    ['a:hunter2@h', 'mysql://'],
    ['mysql:a:hunter2@h', '//'],
    ['mysql://a:hunter2@h:0/d', 'port'],
    ['mysql://a:hunter2@h:65536/d', 'port'],
    ['mysql://a:hunter2@h:33x/d', 'port'],
    ['mysql://a:hunter2@one,two/d', 'several hosts'],
    ['mysql://a:hunter2@%2Frun%2Fmysqld.sock/d', 'Unix socket'],
    ['mysql://a:hunter2@(/run/mysqld.sock)/d', 'Unix socket'],
    ['mysql://a:hunter2@h/d?socket=/run/mysqld.sock', 'socket'],
    ['mysql://a:hunter2@::1/d', 'brackets'],
    ['mysql://a:hunter2%@h/d', 'percent'],
    ['mysql://a:hunter2%00@h/d', 'zero byte'],
    ['mysql://a:hunter2@h/d?ssl-mode=strict', 'ssl-mode'],
    ['mysql://a:hunter2@h/d?sslmode=toString', 'ssl-mode'],
    ['mysql://a:hunter2@h/d?ssl-mode=REQUIRED&sslmode=disable', 'twice'],
    ['mysql://a:hunter2@h/d?ssl-cert=x', 'tls.cert'],
    ['mysql://a:hunter2@h/d?ssl=true', 'ssl-mode'],
    ['mysql://a:hunter2@h/d?charset=utf8mb4', 'charset'],
    ['mysql://a:hunter2@h/d?toString=1', 'toString'],
    ['mysql://a:hunter2@h/d?hunter2%20hunter2=1', 'a parameter'],
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
