/** Builds PostgreSQL v3 messages byte by byte, independent of the code under test. */

function frame(type: string, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const header = Buffer.alloc(5);
  header.write(type, 0, 'latin1');
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}

const int16 = (value: number): Buffer => Buffer.from([(value >> 8) & 255, value & 255]);
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const text = (value: string): Buffer => Buffer.from(`${value}\0`);

export const client = {
  query: (sql: string) => frame('Q', text(sql)),
  parse: (name: string, sql: string) => frame('P', text(name), text(sql), int16(0)),
  bind: (portal: string, statement: string) =>
    frame('B', text(portal), text(statement), int16(0), int16(0), int16(0)),
  describe: (kind: 'S' | 'P', name: string) => frame('D', kind, text(name)),
  execute: (portal: string, rows = 0) => frame('E', text(portal), int32(rows)),
  close: (kind: 'S' | 'P', name: string) => frame('C', kind, text(name)),
  sync: () => frame('S'),
  flush: () => frame('H'),
  copyData: (data: string) => frame('d', data),
  copyDone: () => frame('c'),
  copyFail: (why: string) => frame('f', text(why)),
  functionCall: (oid: number) => frame('F', int32(oid), int16(0), int16(0), int16(0)),
  password: (password: string) => frame('p', text(password)),
  terminate: () => frame('X'),
  raw: frame,
};

export const server = {
  authenticationOk: () => frame('R', int32(0)),
  backendKey: (pid: number, key: Buffer) => frame('K', int32(pid), key),
  parameter: (name: string, value: string) => frame('S', text(name), text(value)),
  ready: (status: 'I' | 'T' | 'E') => frame('Z', status),
  parseComplete: () => frame('1'),
  bindComplete: () => frame('2'),
  closeComplete: () => frame('3'),
  noData: () => frame('n'),
  parameterDescription: () => frame('t', int16(0)),
  rowDescription: () =>
    frame('T', int16(1), text('a'), int32(0), int16(0), int32(23), int16(4), int32(-1), int16(0)),
  row: (value = '1') => frame('D', int16(1), int32(Buffer.byteLength(value)), value),
  complete: (tag: string) => frame('C', text(tag)),
  empty: () => frame('I'),
  suspended: () => frame('s'),
  copyIn: () => frame('G', Buffer.from([0]), int16(0)),
  copyOut: () => frame('H', Buffer.from([0]), int16(0)),
  copyBoth: () => frame('W', Buffer.from([0]), int16(0)),
  copyData: (data: string) => frame('d', data),
  copyDone: () => frame('c'),
  functionResult: () => frame('V', int32(-1)),
  notice: (message: string) => frame('N', ...fields({ S: 'WARNING', V: 'WARNING', C: '01000', M: message })),
  notification: () => frame('A', int32(7), text('channel'), text('payload')),
  error: (code: string, more: Record<string, string> = {}) =>
    frame('E', ...fields({ S: 'ERROR', V: 'ERROR', C: code, M: `message of ${code}`, ...more })),
  raw: frame,
};

function fields(values: Record<string, string>): Buffer[] {
  return [...Object.entries(values).map(([type, value]) => text(type + value)), Buffer.from([0])];
}

/** Every way the steps of a script reach the observer in tests. */
export type Chunking = 'whole' | 'byte by byte' | 'all at once';

/** A session up to the first ReadyForQuery. */
export const startup: readonly Buffer[] = [
  server.authenticationOk(),
  server.parameter('client_encoding', 'UTF8'),
  server.parameter('standard_conforming_strings', 'on'),
  server.backendKey(4711, Buffer.from([1, 2, 3, 4])),
  server.ready('I'),
];
