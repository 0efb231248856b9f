import { Binary, BSON, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BsonCursor } from '../../../../adapters/mongodb/bson/cursor.js';
import { bsonType, bsonTypeName } from '../../../../adapters/mongodb/bson/types.js';

function walk(bytes: Buffer): string[] {
  const cursor = new BsonCursor();
  const seen: string[] = [];
  if (!cursor.open(bytes, 0, bytes.length)) return ['malformed'];
  while (cursor.next()) {
    expect(cursor.valueEnd).toBeLessThan(bytes.length);
    seen.push(`${cursor.key()}:${bsonTypeName(cursor.type)}`);
  }
  if (cursor.isMalformed) seen.push('malformed');
  return seen;
}

const everyType = {
  double: 1.5,
  string: 'text',
  document: { inner: 1 },
  array: [1, 'two'],
  binary: new Binary(Buffer.from('bytes'), 0),
  oldBinary: new Binary(Buffer.from('bytes'), 2),
  objectId: new ObjectId(),
  boolean: true,
  date: new Date(0),
  null: null,
  regex: /a+b/i,
  code: new BSON.Code('f()'),
  codeWithScope: new BSON.Code('f()', { x: 1 }),
  symbol: new BSON.BSONSymbol('s'),
  int32: 7,
  timestamp: new Timestamp({ t: 1, i: 2 }),
  int64: Long.fromNumber(2 ** 40),
  decimal128: Decimal128.fromString('1.5'),
  minKey: new MinKey(),
  maxKey: new MaxKey(),
  last: 'end',
};

describe('a walk over BSON', () => {
  const bytes = Buffer.from(BSON.serialize(everyType));

  it('finds every element with its type', () => {
    const expected = Object.keys(everyType).map((key) => {
      if (key === 'oldBinary') return 'oldBinary:binary';
      return key === 'last' ? 'last:string' : `${key}:${key}`;
    });
    expect(walk(bytes)).toEqual(expected);
  });

  it('reads what is asked for', () => {
    const cursor = new BsonCursor();
    cursor.open(bytes, 0, bytes.length);
    const read: Record<string, unknown> = {};
    while (cursor.next()) {
      if (cursor.text() !== null) read[cursor.key()] = cursor.text();
      else if (!Number.isNaN(cursor.number())) read[cursor.key()] = cursor.number();
    }
    expect(read).toEqual({
      double: 1.5,
      string: 'text',
      boolean: 1,
      code: 'f()',
      symbol: 's',
      int32: 7,
      int64: 2 ** 40,
      last: 'end',
    });
  });

  it('goes into documents', () => {
    const outer = new BsonCursor();
    const inner = new BsonCursor();
    outer.open(bytes, 0, bytes.length);
    while (outer.next() && !outer.isKey('document'));
    expect(outer.isContainer).toBe(true);
    expect(inner.enter(outer)).toBe(true);
    expect(inner.next()).toBe(true);
    expect(inner.key()).toBe('inner');
    expect(inner.next()).toBe(false);
    expect(inner.isMalformed).toBe(false);
  });

  it('stops where the document is cut, whatever it is cut to', () => {
    for (let length = 0; length < bytes.length; length += 1) {
      expect(walk(bytes.subarray(0, length))).toEqual(['malformed']);
      const shortened = Buffer.concat([bytes.subarray(0, length), Buffer.from([0])]);
      if (shortened.length < 5) continue;
      shortened.writeInt32LE(shortened.length, 0);
      // an element less at its end, or malformed: never more than there was
      expect(walk(shortened).length).toBeLessThanOrEqual(Object.keys(everyType).length + 1);
    }
  });

  it('never leaves the document, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 64 }), fc.boolean(), (random, isFramed) => {
        const body = Buffer.from(random);
        const framed = isFramed ? Buffer.concat([Buffer.alloc(4), body, Buffer.from([0])]) : body;
        if (isFramed) framed.writeInt32LE(framed.length, 0);
        walk(framed);
      }),
    );
  });

  it('never leaves the document, whatever one byte is', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
        const changed = Buffer.from(bytes);
        changed[at] = value;
        walk(changed);
      }),
      { numRuns: 2_000 },
    );
  });

  it('knows the names of types', () => {
    expect(bsonTypeName(bsonType.minKey)).toBe('minKey');
    expect(bsonTypeName(0x42)).toBeNull();
  });
});
