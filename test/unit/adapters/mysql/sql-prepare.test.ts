import { describe, expect, it } from 'vitest';
import { readDeallocate, readExecute, readPrepare } from '../../../../adapters/mysql/sql-prepare.js';

describe('PREPARE', () => {
  it.each([
    ["prepare s from 'select 1'", { name: 's', body: 'select 1' }],
    ['PREPARE `my``s` FROM "select 1";', { name: 'my`s', body: 'select 1' }],
    ["prepare s from 'select ''a'', \"b\"'", { name: 's', body: 'select \'a\', "b"' }],
    [String.raw`prepare s from 'a\'b\\c\nd\%'`, { name: 's', body: "a'b\\c\nd%" }],
    ['prepare s from @text', { name: 's', body: null }],
    ["prepare s from concat('a', 'b')", { name: 's', body: null }],
    ["prepare s from 'a' 'b'", { name: 's', body: null }],
    ["prepare s from 'never ends", { name: 's', body: null }],
    ["prepare s from 'two\nlines'", { name: 's', body: 'two\nlines' }],
    ['prepare s', null],
    ['select 1', null],
  ])('%s', (text, prepare) => {
    expect(readPrepare(text, false)).toEqual(prepare);
  });

  it('reads a backslash as the session does', () => {
    expect(readPrepare(String.raw`prepare s from 'a\'`, true)).toEqual({ name: 's', body: 'a\\' });
    expect(readPrepare(String.raw`prepare s from 'a\'`, false)).toEqual({ name: 's', body: null });
  });
});

describe('EXECUTE', () => {
  it.each([
    ['execute s', { name: 's' }],
    ['EXECUTE `my``s` using @a, @b', { name: 'my`s' }],
    ["execute immediate 'select ?' using 1", { body: 'select ?' }],
    ['execute immediate @text', null],
    ["execute immediate 'a' || 'b'", null],
    ['execute', null],
    ['call s', null],
  ])('%s', (text, execute) => {
    expect(readExecute(text, false)).toEqual(execute);
  });
});

it.each([
  ['deallocate prepare s', 's'],
  ['DROP PREPARE `s`;', 's'],
  ['drop table s', null],
])('%s', (text, name) => {
  expect(readDeallocate(text)).toBe(name);
});
