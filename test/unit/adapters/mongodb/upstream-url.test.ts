import { describe, expect, test } from 'vitest';
import { parseUrl } from '../../../../adapters/mongodb/upstream-url.js';
import { TwiceshyError } from '../../../../src/core/errors.js';

const login = { authMechanism: 'DEFAULT', authSource: 'admin' };
const whole = {
  ...{ host: 'db.example', port: 6017, user: 'ann', password: 'p@ss:/w', database: 'shop' },
  options: { ...login, authSource: 'shop' },
};
const nobody = { port: 27_017, user: '', password: '', database: 'test', options: login };

describe('addresses', () => {
  test.each([
    ['mongodb://ann:p%40ss%3A%2Fw@db.example:6017/shop', whole],
    ['MongoDB://ann:p%40ss:%2Fw@db.example:6017/shop', whole],
    ['mongodb://ann:p%40ss:%2Fw@db.example:6017/shop?directConnection=true&appName=x', whole],
    ['mongodb://db.example/shop', { ...whole, port: 27_017, user: '', password: '' }],
    ['mongodb://', { ...nobody, host: 'localhost' }],
    ['mongodb://h', { ...nobody, host: 'h' }],
    ['mongodb://h/?tls=true', { ...nobody, host: 'h' }],
    ['mongodb://ann@[::1]:6017', { ...nobody, host: '::1', port: 6017, user: 'ann' }],
    ['mongodb://a+b:c+d@h', { ...nobody, host: 'h', user: 'a+b', password: 'c+d' }],
    ['mongodb://a:b@c@h/#part', { ...nobody, host: 'h', user: 'a', password: 'b@c' }],
  ])('%s', (url, address) => {
    expect(parseUrl(url).address).toEqual(address);
  });
});

describe("the proxy's own login", () => {
  test.each([
    ['', 'DEFAULT', 'admin'],
    ['?authSource=', 'DEFAULT', 'admin'],
    ['shop', 'DEFAULT', 'shop'],
    ['shop?authSource=admin', 'DEFAULT', 'admin'],
    ['shop?AUTHSOURCE=users', 'DEFAULT', 'users'],
    ['?authMechanism=SCRAM-SHA-1', 'SCRAM-SHA-1', 'admin'],
    ['shop?authMechanism=SCRAM-SHA-256', 'SCRAM-SHA-256', 'shop'],
    ['?authMechanism=PLAIN', 'PLAIN', '$external'],
    ['shop?authMechanism=PLAIN', 'PLAIN', 'shop'],
    ['shop?authMechanism=MONGODB-X509', 'MONGODB-X509', '$external'],
    ['?authSource=%24external&authMechanism=MONGODB-X509', 'MONGODB-X509', '$external'],
  ])('/%s', (rest, authMechanism, authSource) => {
    expect(parseUrl(`mongodb://ann@h/${rest}`).address.options).toEqual({ authMechanism, authSource });
  });
});

describe('TLS', () => {
  test.each([
    ['', null, null],
    ['tls=false', 'disable', null],
    ['ssl=false&tlsCAFile=ca.pem', 'disable', null],
    ['tls=true', 'verify-full', null],
    ['SSL=true&TLS=true', 'verify-full', null],
    ['tls=true&tlsCAFile=a+b.pem', 'verify-full', 'a+b.pem'],
    ['tlsCAFile=%2Fetc%2Fca.pem', null, '/etc/ca.pem'],
    ['tlsCAFile=', null, null],
    ['tls=true&tlsInsecure=true', 'require', null],
    ['tls=true&tlsInsecure=false', 'verify-full', null],
    ['tlsInsecure=true&tlsCAFile=ca.pem', 'require', null],
    ['tls=true&tlsAllowInvalidCertificates=true', 'require', null],
    ['tls=true&tlsAllowInvalidCertificates=true&tlsAllowInvalidHostnames=true', 'require', null],
    ['tls=true&tlsAllowInvalidHostnames=true&tlsCAFile=ca.pem', 'require', 'ca.pem'],
    ['tls=true&tlsAllowInvalidHostnames=false', 'verify-full', null],
  ])('?%s', (query, tlsMode, serverCaFile) => {
    expect(parseUrl(`mongodb://h/?${query}`)).toMatchObject({ tlsMode, serverCaFile });
  });
});

test("options that are a driver's own affair are passed over", () => {
  const pasted =
    'replicaSet=rs0&retryWrites=true&w=majority&appName=Cluster0&loadBalanced=true&readPreference=secondary&' +
    'readPreferenceTags=dc:east&readPreferenceTags=&compressors=zstd,snappy&maxPoolSize=5&connectTimeoutMS=300&JOURNAL=true';
  expect(parseUrl(`mongodb://h/?${pasted}`)).toEqual(parseUrl('mongodb://h/'));
});

describe('what is refused says why and holds no secret', () => {
  test.each([
    ['postgres://a:hunter2@h/d', 'mongodb://'],
    ['a:hunter2@h', 'mongodb://'],
    ['mongodb:a:hunter2@h', '//'],
    ['mongodb+srv://a:hunter2@cluster.example/d', 'name one member, as mongodb://'],
    ['MongoDB+SRV://a:hunter2@cluster.example/d', 'name one member, as mongodb://'],
    ['mongodb+other://a:hunter2@h/d', 'mongodb://'],
    ['mongodb://a:hunter2@one:27017,two:27018/d?replicaSet=rs0', 'name one member'],
    ['mongodb://a:hunter2@[::1]:1,[::2]:2/d', 'name one member'],
    ['mongodb://a:hunter2@h:0/d', 'port'],
    ['mongodb://a:hunter2@h:65536/d', 'port'],
    ['mongodb://a:hunter2@h:27x/d', 'port'],
    ['mongodb://a:hunter2@%2Ftmp%2Fmongodb-27017.sock/d', 'Unix socket'],
    ['mongodb://a:hunter2@mongodb-27017.sock', 'Unix socket'],
    ['mongodb://a:hunter2@::1/d', 'brackets'],
    ['mongodb://a:hunter2%@h/d', 'percent'],
    ['mongodb://a:hunter2%00@h/d', 'zero byte'],
    ['mongodb://a:hunter2@h/?tls=yes', 'tls that is neither true nor false'],
    ['mongodb://a:hunter2@h/?tls=true&ssl=false', 'differently'],
    ['mongodb://a:hunter2@h/?tls=true&TLS=true', 'says tls twice'],
    ['mongodb://a:hunter2@h/?tlsInsecure=true&tlsAllowInvalidHostnames=true', 'leave one out'],
    ['mongodb://a:hunter2@h/?tls=true&tlsAllowInvalidHostnames=true', 'tlsCAFile'],
    ['mongodb://a:hunter2@h/?tlsCertificateKeyFile=x', 'tls.cert'],
    ['mongodb://a:hunter2@h/?tlsCertificateKeyFilePassword=hunter2', 'tls.cert'],
    ['mongodb://a:hunter2@h/?tlsCRLFile=x', 'tlsCRLFile'],
    ['mongodb://a:hunter2@h/?proxyHost=x', 'proxyHost'],
    ['mongodb://a:hunter2@h/?authMechanism=GSSAPI', 'SCRAM-SHA-256'],
    ['mongodb://a:hunter2@h/?authMechanism=toString', 'SCRAM-SHA-256'],
    ['mongodb://a:hunter2@h/?tlss=true', 'tlss'],
    ['mongodb://a:hunter2@h/?toString=1', 'toString'],
    ['mongodb://a:hunter2@h/?hunter2%20hunter2=1', 'an option'],
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
