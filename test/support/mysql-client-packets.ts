/**
 * Payloads a client sends: commands, the login packet, the answers of authentication plugins. Protocol documentation:
 * "HandshakeResponse41", "SSLRequest", "Command Phase", "Prepared Statements", "Query Attributes", "Caching_sha2_password
 * information", "Native Authentication"; for MariaDB "COM_STMT_BULK_EXECUTE".
 */
import { constants, createHash, publicEncrypt } from 'node:crypto';
import {
  capability,
  command,
  lenenc,
  lenencString,
  nulString,
  PayloadReader,
  uint,
} from './mysql-protocol.js';

/** Field types a value may be sent as. */
export const fieldType = { long: 3, null: 6, longlong: 8, blob: 252, varString: 253 } as const;

function one(byte: number, ...rest: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([byte]), ...rest]);
}

/** COM_QUERY. `attributes` only where both ends agreed on query attributes: then also an empty list takes two bytes. */
export function query(text: string | Buffer, attributes?: Readonly<Record<string, string>>): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  if (attributes === undefined) return one(command.query, bytes);
  const entries = Object.entries(attributes);
  const head = [lenenc(entries.length), lenenc(1)];
  if (entries.length > 0) head.push(boundValues(entries.map(([name, value]) => ({ name, value }))));
  return one(command.query, ...head, bytes);
}

export function prepare(text: string): Buffer {
  return one(command.stmtPrepare, Buffer.from(text));
}

export interface ExecuteOptions {
  /** 0 none, 1 read-only cursor; 8 says that a count of parameters follows (query attributes). */
  readonly flags?: number;
  /** Query attributes were agreed on: the values are counted and named. */
  readonly isCounted?: boolean;
}

/** COM_STMT_EXECUTE with values as strings; `undefined` is a value that came by COM_STMT_SEND_LONG_DATA. */
export function execute(
  id: number,
  values: readonly (string | Buffer | null | undefined)[] = [],
  options: ExecuteOptions = {},
): Buffer {
  const head = [uint(id, 4), uint(options.flags ?? 0, 1), uint(1, 4)];
  if (values.length === 0) return one(command.stmtExecute, ...head);
  const isCounted = options.isCounted ?? false;
  const parameters = values.map((value) => (isCounted ? { name: '', value } : { value }));
  const count = isCounted ? [lenenc(values.length)] : [];
  return one(command.stmtExecute, ...head, ...count, boundValues(parameters));
}

interface Parameter {
  readonly name?: string;
  readonly value: string | Buffer | null | undefined;
}

function boundValues(parameters: readonly Parameter[]): Buffer {
  const nulls = Buffer.alloc((parameters.length + 7) >> 3);
  const types: Buffer[] = [];
  const data: Buffer[] = [];
  for (const [index, { name, value }] of parameters.entries()) {
    if (value === null) nulls[index >> 3]! |= 1 << (index & 7);
    const type = value === null ? fieldType.null : value === undefined ? fieldType.blob : fieldType.varString;
    types.push(uint(type, 2), ...(name === undefined ? [] : [lenencString(name)]));
    if (value !== null && value !== undefined) data.push(lenencString(value));
  }
  return Buffer.concat([nulls, Buffer.from([1]), ...types, ...data]);
}

/** MariaDB's COM_STMT_BULK_EXECUTE of string columns: one entry of `rows` a row, types sent along. */
export function bulkExecute(id: number, rows: readonly (readonly (string | null)[])[]): Buffer {
  const sendTypes = 128;
  const types = (rows[0] ?? []).map(() => uint(fieldType.varString, 2));
  const values = rows.flat().map((value) => (value === null ? one(1) : one(0, lenencString(value))));
  return one(command.bulkExecute, uint(id, 4), uint(sendTypes, 2), ...types, ...values);
}

export function fetch(id: number, rows: number): Buffer {
  return one(command.stmtFetch, uint(id, 4), uint(rows, 4));
}

/** Gets no answer. */
export function sendLongData(id: number, parameter: number, data: Buffer): Buffer {
  return one(command.stmtSendLongData, uint(id, 4), uint(parameter, 2), data);
}

/** Gets no answer. */
export function closeStatement(id: number): Buffer {
  return one(command.stmtClose, uint(id, 4));
}

export function resetStatement(id: number): Buffer {
  return one(command.stmtReset, uint(id, 4));
}

export function initDb(name: string): Buffer {
  return one(command.initDb, Buffer.from(name));
}

export function fieldList(table: string, wildcard = ''): Buffer {
  return one(command.fieldList, nulString(table), Buffer.from(wildcard));
}

export function setOption(option: 0 | 1): Buffer {
  return one(command.setOption, uint(option, 2));
}

export function processKill(threadId: number): Buffer {
  return one(command.processKill, uint(threadId, 4));
}

/** Commands of one byte. */
export const ping = one(command.ping);
export const quit = one(command.quit);
export const statistics = one(command.statistics);
export const resetConnection = one(command.resetConnection);
export const debug = one(command.debug);
export const processInfo = one(command.processInfo);

export interface LoginPacket {
  readonly capabilities: number;
  readonly extendedCapabilities?: number;
  readonly maxPacketBytes?: number;
  readonly charset?: number;
  readonly user: string;
  readonly authData: Buffer;
  readonly database?: string;
  readonly plugin?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly zstdLevel?: number;
}

/** HandshakeResponse41, with the fields its capabilities call for. */
export function loginPacket(login: LoginPacket): Buffer {
  const has = (flag: number): boolean => (login.capabilities & flag) !== 0;
  const parts = [loginHead(login), nulString(login.user)];
  if (has(capability.lenencAuthData)) parts.push(lenencString(login.authData));
  else parts.push(uint(login.authData.length, 1), login.authData);
  if (has(capability.connectWithDb)) parts.push(nulString(login.database ?? ''));
  if (has(capability.pluginAuth)) parts.push(nulString(login.plugin ?? ''));
  if (has(capability.connectAttributes)) parts.push(connectAttributes(login.attributes ?? {}));
  if (has(capability.zstdCompression)) parts.push(uint(login.zstdLevel ?? 3, 1));
  return Buffer.concat(parts);
}

/** What comes before TLS starts: the login packet up to the user name. */
export function tlsRequest(
  login: Pick<LoginPacket, 'capabilities' | 'charset' | 'extendedCapabilities'>,
): Buffer {
  return loginHead(login);
}

function loginHead(login: Omit<LoginPacket, 'user' | 'authData'>): Buffer {
  return Buffer.concat([
    uint(login.capabilities, 4),
    uint(login.maxPacketBytes ?? 0x40000000, 4),
    uint(login.charset ?? 45, 1),
    Buffer.alloc(19),
    uint(login.extendedCapabilities ?? 0, 4),
  ]);
}

function connectAttributes(attributes: Readonly<Record<string, string>>): Buffer {
  return lenencString(Buffer.concat(Object.entries(attributes).flat().map(lenencString)));
}

export interface ReadLogin {
  readonly capabilities: number;
  readonly extendedCapabilities: number;
  readonly charset: number;
  readonly user: string;
  readonly authData: Buffer;
  readonly database: string | null;
  readonly plugin: string | null;
}

/** Reads a login packet that is not a TLS request. */
export function readLogin(payload: Buffer): ReadLogin {
  const reader = new PayloadReader(payload);
  const capabilities = reader.uint(4);
  const has = (flag: number): boolean => (capabilities & flag) !== 0;
  reader.uint(4);
  const charset = reader.uint(1);
  reader.bytes(19);
  const extendedCapabilities = reader.uint(4);
  const user = reader.nulString();
  const length = has(capability.lenencAuthData) ? (reader.lenenc() ?? 0) : reader.uint(1);
  const authData = reader.bytes(length);
  const database = has(capability.connectWithDb) && !reader.isAtEnd ? reader.nulString() : null;
  const plugin = has(capability.pluginAuth) && !reader.isAtEnd ? reader.nulString() : null;
  return { capabilities, extendedCapabilities, charset, user, authData, database, plugin };
}

export function isTlsRequest(payload: Buffer): boolean {
  return payload.length === 32 && (payload.readUInt32LE(0) & capability.tls) !== 0;
}

export interface ChangeUser {
  readonly user: string;
  readonly authData: Buffer;
  readonly database: string;
  readonly charset?: number;
  readonly plugin: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

export function changeUser(change: ChangeUser): Buffer {
  return one(
    command.changeUser,
    nulString(change.user),
    uint(change.authData.length, 1),
    change.authData,
    nulString(change.database),
    uint(change.charset ?? 45, 2),
    nulString(change.plugin),
    connectAttributes(change.attributes ?? {}),
  );
}

/**
 * What a plugin sends first for `password`. Of plugins not known here: nothing. `client_ed25519` is not known: its
 * keys are derived in a way Node's crypto has no name for.
 */
export function authAnswer(plugin: string, password: string, nonce: Buffer, isEncrypted: boolean): Buffer {
  if (password === '' && plugin !== 'sha256_password') return Buffer.alloc(0);
  switch (plugin) {
    case 'mysql_native_password':
      return nativePassword(password, nonce);
    case 'caching_sha2_password':
      return cachingSha2(password, nonce);
    case 'mysql_clear_password':
      return nulString(password);
    case 'sha256_password':
      return isEncrypted ? nulString(password) : Buffer.from([0x01]);
    default:
      return Buffer.alloc(0);
  }
}

function nativePassword(password: string, nonce: Buffer): Buffer {
  const once = digest('sha1', Buffer.from(password));
  return xor(once, digest('sha1', nonce, digest('sha1', once)));
}

function cachingSha2(password: string, nonce: Buffer): Buffer {
  const once = digest('sha256', Buffer.from(password));
  return xor(once, digest('sha256', digest('sha256', once), nonce));
}

/** The password as the RSA exchange of caching_sha2_password and sha256_password wants it. */
export function rsaPassword(password: string, nonce: Buffer, publicKey: string): Buffer {
  return publicEncrypt(
    { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING },
    xor(nulString(password), nonce),
  );
}

function digest(algorithm: 'sha1' | 'sha256', ...parts: readonly Buffer[]): Buffer {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function xor(value: Buffer, key: Buffer): Buffer {
  return Buffer.from(value.map((byte, index) => byte ^ key[index % key.length]!));
}
