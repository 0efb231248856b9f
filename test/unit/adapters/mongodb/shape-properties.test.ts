import { BSON } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandText } from '../../../../adapters/mongodb/command-text.js';
import { limits } from '../../../../src/core/limits.js';
import {
  anyCommand,
  canary,
  serialize,
  shapesOf,
  statementsOf,
  textOf,
  wholeCommand,
} from './shape-support.js';

/** Names of collections are no values, and a canary in the place of one is a name. */
const collectionPlaces =
  /\b(?:from|into|coll|db|viewOn|to|out|collection) \S+|\$(?:out|unionWith|merge) \S+/g;

describe('shapes of any command', () => {
  it('are the same from BSON and from Extended JSON', () => {
    fc.assert(
      fc.property(anyCommand, fc.boolean(), (command, relaxed) => {
        const own = new Set(shapesOf(BSON.EJSON.stringify(command, { relaxed })));
        expect([...own].join(' ')).toBe(textOf(command));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are their own shapes', () => {
    fc.assert(
      fc.property(anyCommand, (command) => {
        const text = textOf(command);
        expect(shapesOf(text).join(' ')).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('stay with keys of Extended JSON, sent as they are', () => {
    const keys = [
      '$oid',
      '$date',
      '$numberInt',
      '$minKey',
      '$binary',
      '$regularExpression',
      '$timestamp',
      '$undefined',
    ];
    for (const key of keys) {
      for (const value of ['x', 1, true, { base64: 'x', t: 1, pattern: 'x' }]) {
        const text = textOf({ find: 'users', filter: { a: { [key]: value } }, sort: { [key]: value } });
        expect(text).toContain(key);
        expect(shapesOf(text)).toEqual([text]);
      }
    }
  });

  it('hold no value', () => {
    fc.assert(
      fc.property(anyCommand, (command) => {
        fc.pre(!String(Object.values(command)[0]).includes(canary));
        const text = textOf(command).replaceAll(collectionPlaces, '');
        expect(text).not.toContain(canary);
        expect(text).not.toMatch(/907|5\.00|507f/);
      }),
      { numRuns: 1_000 },
    );
  });

  it('are tokens between single spaces', () => {
    fc.assert(
      fc.property(anyCommand, (command) => {
        expect(textOf(command)).toMatch(/^\S+(?: \S+)*$/u);
      }),
    );
  });
});

describe('shapes of any text', () => {
  const piece = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      '(',
      ')',
      '"',
      "'",
      '`',
      ':',
      ',',
      '.',
      '/',
      '\\',
      '$',
      '?',
      ' ',
      '\n',
      '//',
      '/*',
      '#',
      '=>',
    ],
    ...[
      'db',
      'find',
      'users',
      'function',
      'new ',
      'ObjectId(',
      '5',
      '-1',
      '...',
      ';',
      '$set',
      '?number',
      'a',
      '\u{1f600}',
    ],
  );
  const soup = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

  it('are there, whatever the text', () => {
    fc.assert(
      fc.property(soup, fc.constantFrom('', '{', 'db.users.find(', '{ find '), (text, start) => {
        const made = statementsOf(start + text);
        expect(made.length).toBeGreaterThan(0);
        for (const { shape } of made) {
          if (start.includes('find')) expect(shapesOf(shape)).toEqual([shape]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('are cut at the bound, and said to be', () => {
    const command = {
      find: 'users',
      filter: Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`field${i}x`, true])),
    };
    const { text, isTruncated } = commandText(wholeCommand(serialize(command)));
    expect(isTruncated).toBe(true);
    expect(text.length).toBeLessThanOrEqual(limits.maxStatementBytes);
    const [shape, ...others] = statementsOf(text, true);
    expect(others).toEqual([]);
    expect(shape).toMatchObject({ shape: text, isTruncated: true });
    const [own] = statementsOf(JSON.stringify(command));
    expect(own?.isTruncated).toBe(true);
  });

  it.each([1, 10, 100, 177, 178, 179, 180, 181, 250, 1_000])('end at a depth: %d', (depth) => {
    let filter: object = { end: canary };
    for (let level = 0; level < depth; level += 1) filter = level % 2 === 0 ? { a: filter } : [filter];
    const command = { find: 'users', filter: { a: filter } };
    const text = textOf(command);
    expect(text).not.toContain(canary);
    expect(shapesOf(text)).toEqual([text]);
    expect(shapesOf(JSON.stringify(command))).toEqual([text]);
  });
});

describe('commands in bytes that make no sense', () => {
  const bytes = serialize({
    update: 'users',
    updates: [{ q: { a: { $in: [1, canary] } }, u: { $set: { b: canary, c: /x/i } } }],
    ordered: false,
    lsid: { id: 1 },
  });

  it('have a text, whatever one byte is', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.boolean(), (at, value, isTruncated) => {
        const changed = Buffer.from(bytes);
        changed[at] = value;
        const { text } = commandText({ ...wholeCommand(changed), isTruncated });
        expect(text).toMatch(/^\{ .*\}$/u);
      }),
      { numRuns: 1_000 },
    );
  });

  it('have the text of what is whole, wherever they are cut', () => {
    const whole = textOf(BSON.deserialize(bytes));
    const lengths = new Set<number>();
    for (let end = 0; end <= bytes.length; end += 1) {
      const made = commandText({ ...wholeCommand(bytes.subarray(0, end)), isTruncated: true });
      expect(made.isTruncated).toBe(true);
      expect(shapesOf(made.text, true)).toEqual([made.text]);
      expect(made.text).not.toContain(canary);
      lengths.add(made.text.length);
    }
    expect(lengths.size).toBeGreaterThan(8);
    expect(Math.max(...lengths)).toBe(whole.length);
  });

  it('have a text, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer({ min: -5, max: 90 }), (random, end) => {
        const body = Buffer.from(random);
        const sequences = [{ identifier: 'documents', bytes: body, start: 0, end: body.length }];
        commandText({ body, start: 0, end, sequences, operation: null, isTruncated: false });
        commandText({ body, start: 2, end, sequences, operation: 1, isTruncated: true });
      }),
    );
  });
});
