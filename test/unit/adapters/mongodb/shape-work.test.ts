/** Work stays linear in the text, whatever the text. */
import { expect, it } from 'vitest';
import { limits } from '../../../../src/core/limits.js';
import { statementsOf } from './shape-support.js';

const patterns = [
  ...['{', '[', '(', '{a:', '[{', '{a ', '[{a:[', '{"a":', '{[', '}', ']', ')', '{a}', '{a,'],
  ...['"', "'", '`', '\\', '/', '/[', '//', '/*', '#', '\n', ' ', ';', ',', ':', '?', '$', '.', '..', '...'],
  ...['f(', 'f()', '.f(', '.f()', 'new ', 'await ', 'function(', 'function ', '=>', 'a=>', '()=>', 'async '],
  ...[
    'a+',
    'a + ',
    '- ',
    '5*',
    '1 ',
    'a ',
    'a = ',
    'return ',
    'const a = ',
    'db.a.b()\n',
    'db.',
    'db[',
    '["a"]',
    '?.',
  ],
  ...['{a:1},', '{a:1}', '"a"', '1,', '{drop:"a"}', '/a/i ', '{$oid:"a"}', '{$and:['],
];

const starts = ['', '{', '{a:', 'db.c.find(', 'db.c.f()', 'db["c"].insertMany([', '{insert:"c",documents:['];

it.each(patterns)('is bounded for a text of %j over and over', (pattern) => {
  const size = limits.maxStatementBytes / 2;
  const before = process.cpuUsage();
  for (const start of starts) {
    const made = statementsOf((start + pattern.repeat(Math.ceil(size / pattern.length))).slice(0, size));
    expect(made.length).toBeGreaterThan(0);
    expect(made.length).toBeLessThanOrEqual(limits.maxMultiStatements);
    for (const { shape } of made) expect(shape.length).toBeLessThanOrEqual(limits.maxStatementBytes);
  }
  const { user, system } = process.cpuUsage(before);
  // quadratic work on 32 Ki characters takes several seconds
  expect((user + system) / 1e6).toBeLessThan(3);
});

it('is bounded for a text of 10 MB', () => {
  const text = `db.c.insertMany([${'{ a: 1, b: "x" }, '.repeat(600_000)}])`;
  const made = statementsOf(text);
  expect(made).toHaveLength(limits.maxMultiStatements);
  expect(made[0]).toMatchObject({
    shape: '{ insert c documents [ { a:number b:string } ] }',
    isTruncated: true,
  });
});
