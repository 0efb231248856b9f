import { BSON, ObjectId } from 'bson';
import { describe, expect, it } from 'vitest';
import { commandText } from '../../../../adapters/mongodb/command-text.js';
import type { DocumentSequence } from '../../../../adapters/mongodb/messages/op-msg.js';
import { limits } from '../../../../src/core/limits.js';
import { serialize, shapesOf, textOf } from './shape-support.js';

const sequence = (identifier: string, documents: readonly object[], padding = 0): DocumentSequence => {
  const bytes = Buffer.concat([Buffer.alloc(padding), ...documents.map(serialize), Buffer.alloc(padding)]);
  return { identifier, bytes, start: padding, end: bytes.length - padding };
};

const read = (
  body: object,
  sequences: readonly DocumentSequence[],
  operation: number | null,
  isTruncated = false,
) => {
  const bytes = Buffer.concat([Buffer.alloc(7), serialize(body), Buffer.alloc(3)]);
  return commandText({ body: bytes, start: 7, end: bytes.length - 3, sequences, operation, isTruncated });
};

const insert = { insert: 'users', ordered: false, lsid: { id: 1 }, $db: 'shop' };
const documents = [
  { _id: new ObjectId(), name: 'a' },
  { _id: new ObjectId(), name: 'b' },
  { _id: new ObjectId(), name: 'c', age: 5 },
];

describe('the text of a command', () => {
  it('is the same with documents in the body and in a sequence', () => {
    const inBody = { insert: 'users', documents, ordered: false, $db: 'shop' };
    for (const operation of [null, 0, 1, 2]) {
      expect(read(insert, [sequence('documents', documents, 5)], operation).text).toBe(
        textOf(inBody, operation),
      );
    }
  });

  it('has the one operation that is asked for', () => {
    const made = read(insert, [sequence('documents', documents)], 2);
    expect(made).toEqual({
      text: '{ insert users documents [ { age:number name:string } ] }',
      isTruncated: false,
      database: null,
    });
  });

  it('has each operation once where all are asked for', () => {
    const { text } = read(insert, [sequence('documents', documents)], null);
    expect(shapesOf(text)).toEqual([
      '{ insert users documents [ { name:string } ] }',
      '{ insert users documents [ { age:number name:string } ] }',
    ]);
  });

  it('says so where the operation is not there', () => {
    const none = { text: '{ insert users }', isTruncated: true, database: null };
    expect(read(insert, [sequence('documents', documents)], 3)).toEqual(none);
    expect(read(insert, [], 0)).toEqual(none);
  });

  it('reads a sequence as far as it was kept', () => {
    const whole = sequence('documents', documents);
    const cut = { ...whole, end: whole.end - 8 };
    expect(read(insert, [cut], 1, true).text).toContain('[ { name:string } ]');
    expect(read(insert, [cut], 2, true)).toMatchObject({
      text: '{ insert users documents [ { name:string } ] }',
      isTruncated: true,
    });
    // not said to be cut, the last document is none
    expect(read(insert, [cut], 2).text).toBe('{ insert users }');
  });

  it('takes sequences in any order', () => {
    const ops = sequence('ops', [
      { insert: 1, document: { a: 1 } },
      { update: 0, filter: { a: 1 }, updateMods: { $set: { b: 1 } }, multi: true },
      { delete: 0, filter: { a: 1 }, multi: false },
    ]);
    const nsInfo = sequence('nsInfo', [{ ns: 'shop.users' }, { ns: 'crm.a.b' }]);
    const body = { bulkWrite: 1, errorsOnly: true, ordered: true, $db: 'admin' };
    for (const sequences of [
      [ops, nsInfo],
      [nsInfo, ops],
    ]) {
      expect(read(body, sequences, 0)).toEqual({
        text: '{ insert a.b documents [ { a:number } ] }',
        isTruncated: false,
        database: 'crm',
      });
      expect(read(body, sequences, 1)).toMatchObject({
        text: '{ update users updates [ { q { a ?number } u { $set { b ?number } } multi true } ] }',
        database: 'shop',
      });
      expect(read(body, sequences, 2).text).toBe('{ delete users deletes [ { q { a ?number } limit 1 } ] }');
    }
  });

  it('lets go of the bytes, and reads the next command anew', () => {
    const first = read(insert, [sequence('documents', documents)], 0).text;
    read({ find: 'other', filter: { a: 1 } }, [], null);
    expect(read(insert, [sequence('documents', documents)], 0).text).toBe(first);
  });

  it('of many operations stays within its bound', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ [`field${index % 900}x`]: index, same: 1 }));
    const { text, isTruncated } = read(insert, [sequence('documents', many)], null);
    expect(text.length).toBeLessThanOrEqual(limits.maxStatementBytes);
    expect(shapesOf(text, isTruncated).length).toBeLessThanOrEqual(limits.maxMultiStatements);
    const large = read(insert, [sequence('documents', many)], 4_999);
    expect(large.text).toBe('{ insert users documents [ { field499x:number same:number } ] }');
  });

  it('tells types apart that BSON tells apart, but for numbers', () => {
    const filter = { a: 5, b: new BSON.Long(5), c: new BSON.Double(5), d: BSON.Decimal128.fromString('5') };
    expect(textOf({ find: 'c', filter })).toBe(
      '{ find c filter { a ?number b ?number c ?number d ?number } }',
    );
    expect(textOf({ find: 'c', filter: { a: new Date(), b: new BSON.Timestamp(5n) } })).toBe(
      '{ find c filter { a ?date b ?timestamp } }',
    );
  });
});
