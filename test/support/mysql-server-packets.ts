/**
 * Payloads a MySQL or MariaDB server sends: builders for scripted servers, readers for raw clients. Protocol
 * documentation: "Connection Phase Packets", "OK_Packet", "ERR_Packet", "EOF_Packet", "Text Resultset".
 *
 * Builders give payloads without packet header; the sender numbers them.
 */
import {
  capability,
  lenenc,
  lenencString,
  mariadbCapability,
  nulString,
  PayloadReader,
  status,
  uint,
} from './mysql-protocol.js';

/** Everything a MySQL 8 or 9 server offers, but TLS and compression. */
export const mysqlOffer =
  capability.longPassword |
  capability.foundRows |
  capability.longFlag |
  capability.connectWithDb |
  capability.localFiles |
  capability.ignoreSpace |
  capability.protocol41 |
  capability.interactive |
  capability.transactions |
  capability.secureConnection |
  capability.multiStatements |
  capability.multiResults |
  capability.psMultiResults |
  capability.pluginAuth |
  capability.connectAttributes |
  capability.lenencAuthData |
  capability.handleExpiredPasswords |
  capability.sessionTrack |
  capability.deprecateEof |
  capability.optionalMetadata |
  capability.queryAttributes;

/** Everything MariaDB 10.11 offers, but TLS and compression; `longPassword` off says that a second word follows. */
export const mariadbOffer =
  mysqlOffer & ~capability.longPassword & ~capability.optionalMetadata & ~capability.queryAttributes;

/**
 * What `RawMysql` asks for by default: everything but the two capabilities that change the form of a query and of a
 * result set's first packet.
 */
export const usualRequest = mysqlOffer & ~capability.optionalMetadata & ~capability.queryAttributes;

const mariadbExtendedOffer = Object.values(mariadbCapability).reduce((all, one) => all | one, 0);

export interface GreetingOptions {
  readonly version?: string;
  readonly threadId?: number;
  readonly capabilities?: number;
  /** MariaDB's second word; written into the reserved bytes as given. */
  readonly extendedCapabilities?: number;
  readonly charset?: number;
  readonly status?: number;
  readonly plugin?: string;
  /** 20 bytes. */
  readonly nonce?: Buffer;
}

export const mysqlGreeting: GreetingOptions = {
  version: '9.7.0',
  capabilities: mysqlOffer,
  charset: 255,
  plugin: 'caching_sha2_password',
};

export const mariadbGreeting: GreetingOptions = {
  version: '5.5.5-10.11.0-MariaDB',
  capabilities: mariadbOffer,
  extendedCapabilities: mariadbExtendedOffer,
  charset: 45,
  plugin: 'mysql_native_password',
};

export const scriptedNonce = Buffer.from('abcdefghijklmnopqrst');

/** Handshake v10. */
export function greeting(options: GreetingOptions = mysqlGreeting): Buffer {
  const offered = options.capabilities ?? mysqlOffer;
  const nonce = options.nonce ?? scriptedNonce;
  return Buffer.concat([
    Buffer.from([10]),
    nulString(options.version ?? '9.7.0'),
    uint(options.threadId ?? 7, 4),
    nonce.subarray(0, 8),
    Buffer.from([0]),
    uint(offered & 0xffff, 2),
    uint(options.charset ?? 255, 1),
    uint(options.status ?? status.autocommit, 2),
    uint(offered >>> 16, 2),
    Buffer.from([nonce.length + 1]),
    Buffer.alloc(6),
    uint(options.extendedCapabilities ?? 0, 4),
    nonce.subarray(8),
    Buffer.from([0]),
    nulString(options.plugin ?? 'caching_sha2_password'),
  ]);
}

export interface Greeting {
  readonly version: string;
  readonly threadId: number;
  readonly nonce: Buffer;
  readonly capabilities: number;
  readonly extendedCapabilities: number;
  readonly charset: number;
  readonly status: number;
  readonly plugin: string;
}

export function readGreeting(payload: Buffer): Greeting {
  const reader = new PayloadReader(payload);
  const protocol = reader.uint(1);
  if (protocol === 0xff) {
    const { code, message } = readError(payload);
    throw new Error(`The server refused the connection: ${code} ${message}`);
  }
  if (protocol !== 10) throw new Error(`Protocol version ${protocol}`);
  const version = reader.nulString();
  const threadId = reader.uint(4);
  const first = reader.bytes(8);
  reader.uint(1);
  const lower = reader.uint(2);
  const charset = reader.uint(1);
  const flags = reader.uint(2);
  const capabilities = (lower | (reader.uint(2) << 16)) >>> 0;
  const nonceBytes = reader.uint(1);
  reader.bytes(6);
  const extendedCapabilities = reader.uint(4);
  const second = reader.bytes(Math.max(13, nonceBytes - 8)).subarray(0, 12);
  const plugin = reader.isAtEnd ? '' : reader.nulString();
  return {
    version,
    threadId,
    nonce: Buffer.concat([first, second]),
    capabilities,
    extendedCapabilities: (capabilities & capability.longPassword) === 0 ? extendedCapabilities : 0,
    charset,
    status: flags,
    plugin,
  };
}

export interface OkOptions {
  readonly affectedRows?: number;
  readonly insertId?: number;
  readonly status?: number;
  readonly warnings?: number;
  /** What follows the counts as it is, such as an info text or session tracking data. */
  readonly rest?: Buffer;
}

export function ok(options: OkOptions = {}): Buffer {
  return okWithHeader(0x00, options);
}

/** The OK packet that ends rows when EOF packets are deprecated. */
export function endOfRows(options: OkOptions = {}): Buffer {
  return okWithHeader(0xfe, options);
}

function okWithHeader(header: number, options: OkOptions): Buffer {
  return Buffer.concat([
    Buffer.from([header]),
    lenenc(options.affectedRows ?? 0),
    lenenc(options.insertId ?? 0),
    uint(options.status ?? status.autocommit, 2),
    uint(options.warnings ?? 0, 2),
    options.rest ?? Buffer.alloc(0),
  ]);
}

export function eof(flags: number = status.autocommit, warnings = 0): Buffer {
  return Buffer.concat([Buffer.from([0xfe]), uint(warnings, 2), uint(flags, 2)]);
}

/** `sqlState` null: the form before the login is done, without marker and state. */
export function error(code: number, message: string, sqlState: string | null = 'HY000'): Buffer {
  const state = sqlState === null ? '' : `#${sqlState}`;
  return Buffer.concat([Buffer.from([0xff]), uint(code, 2), Buffer.from(`${state}${message}`)]);
}

/** MariaDB: an ERR packet of code 0xFFFF reports progress, and the answer is still to come. */
export function progress(stage: number, stages: number, thousandths: number, text: string): Buffer {
  return Buffer.concat([
    Buffer.from([0xff, 0xff, 0xff, 1, stage, stages]),
    uint(thousandths, 3),
    lenencString(text),
  ]);
}

export interface ReadError {
  readonly code: number;
  readonly sqlState: string | null;
  readonly message: string;
}

export function readError(payload: Buffer): ReadError {
  if (payload[0] !== 0xff) throw new Error(`Not an ERR packet: ${payload.subarray(0, 16).toString('hex')}`);
  const code = payload.readUInt16LE(1);
  const hasState = payload[3] === 0x23;
  return {
    code,
    sqlState: hasState ? payload.subarray(4, 9).toString('latin1') : null,
    message: payload.subarray(hasState ? 9 : 3).toString(),
  };
}

export interface ReadOk {
  readonly affectedRows: number;
  readonly insertId: number;
  readonly status: number;
  readonly warnings: number;
  readonly rest: Buffer;
}

/** An OK packet under either header byte. */
export function readOk(payload: Buffer): ReadOk {
  const reader = new PayloadReader(payload, 1);
  return {
    affectedRows: reader.lenenc() ?? 0,
    insertId: reader.lenenc() ?? 0,
    status: reader.uint(2),
    warnings: reader.uint(2),
    rest: reader.rest(),
  };
}

export interface ColumnOptions {
  readonly name: string;
  readonly table?: string;
  /** Field type byte: 253 VAR_STRING, 3 LONG, 8 LONGLONG, 252 BLOB. */
  readonly type?: number;
  readonly charset?: number;
}

export function columnDefinition(column: ColumnOptions): Buffer {
  const table = column.table ?? '';
  return Buffer.concat([
    ...['def', '', table, table, column.name, column.name].map(lenencString),
    Buffer.from([0x0c]),
    uint(column.charset ?? 255, 2),
    uint(1024, 4),
    uint(column.type ?? 253, 1),
    uint(0, 2),
    uint(0, 1),
    uint(0, 2),
  ]);
}

/** One row of a text result set; null is SQL NULL. */
export function textRow(values: readonly (string | Buffer | null)[]): Buffer {
  return Buffer.concat(values.map((value) => (value === null ? Buffer.from([0xfb]) : lenencString(value))));
}

/** One row of a binary result set whose columns are all strings; null is SQL NULL. */
function binaryRow(values: readonly (string | null)[]): Buffer {
  const nulls = Buffer.alloc((values.length + 9) >> 3);
  for (const [index, value] of values.entries()) {
    if (value === null) nulls[(index + 2) >> 3]! |= 1 << ((index + 2) & 7);
  }
  const present = values.filter((value): value is string => value !== null);
  return Buffer.concat([Buffer.from([0]), nulls, ...present.map(lenencString)]);
}

export interface ResultSetOptions {
  /** Flags and warnings of the packet that ends the rows. */
  readonly end?: OkOptions;
  readonly isEofDeprecated?: boolean;
  readonly isBinary?: boolean;
}

/** The payloads of a whole result set of string columns. */
export function resultSet(
  columns: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  options: ResultSetOptions = {},
): Buffer[] {
  const { status: flags, warnings } = options.end ?? {};
  const isEofDeprecated = options.isEofDeprecated ?? true;
  const row = options.isBinary === true ? binaryRow : textRow;
  return [
    lenenc(columns.length),
    ...columns.map((name) => columnDefinition({ name })),
    ...(isEofDeprecated ? [] : [eof(flags)]),
    ...rows.map((values) => row(values)),
    isEofDeprecated ? endOfRows(options.end) : eof(flags, warnings),
  ];
}

/** Asks the client for a local file. */
export function localInfileRequest(name: string): Buffer {
  return Buffer.from(`\xfb${name}`, 'latin1');
}

/** The first packet of the answer to COM_STMT_PREPARE; definitions follow as `columnDefinition`s. */
export function prepareOk(id: number, columns: number, parameters: number, warnings = 0): Buffer {
  return Buffer.concat([
    Buffer.from([0]),
    uint(id, 4),
    uint(columns, 2),
    uint(parameters, 2),
    Buffer.from([0]),
    uint(warnings, 2),
  ]);
}

export function authSwitch(plugin: string, data: Buffer = scriptedNonce): Buffer {
  return Buffer.concat([Buffer.from([0xfe]), nulString(plugin), data, Buffer.from([0])]);
}

export function authMoreData(data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x01]), data]);
}

export const fastAuthOk = authMoreData(Buffer.from([0x03]));
export const fullAuthRequired = authMoreData(Buffer.from([0x04]));
