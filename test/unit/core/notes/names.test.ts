import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/core/limits.js';
import { closestNames } from '../../../../src/core/notes/names.js';

describe('closestNames', () => {
  it.each([
    ['emial', ['id', 'email', 'name'], ['email']],
    ['user', ['users', 'orders'], ['users']],
    ['userid', ['id', 'user_id', 'userId'], ['userId', 'user_id']],
    ['user_name', ['username', 'name', 'id'], ['username', 'name']],
    ['mail', ['email', 'email_verified', 'name'], ['email', 'email_verified']],
    ['recieved_at', ['received_at', 'created_at'], ['received_at']],
    ['xyz', ['id', 'email', 'name'], []],
    ['a', ['b', 'c'], []],
    ['', ['id'], []],
    ['id', ['id'], []],
  ] as const)('%s among %j', (wanted, candidates, expected) => {
    expect(closestNames(wanted, candidates, 5)).toEqual(expected);
  });

  it('counts a swap of neighbours as one edit', () => {
    expect(closestNames('naem', ['name'], 5)).toEqual(['name']);
  });

  it('gives no more than asked for, the closest first, the same for any order of candidates', () => {
    const candidates = ['price_net', 'price', 'prices', 'prize'];
    const expected = ['price', 'prices'];
    expect(closestNames('pryce', candidates, 2)).toEqual(['price', 'prices']);
    expect(closestNames('pirce', candidates, 2)).toEqual(expected);
    expect(closestNames('pirce', [...candidates].reverse(), 2)).toEqual(expected);
  });

  it('names a candidate once', () => {
    expect(closestNames('emial', ['email', 'email'], 5)).toEqual(['email']);
  });

  it('passes over names longer than an identifier can be, wanted or not', () => {
    const long = 'x'.repeat(limits.maxNameLength + 1);
    expect(closestNames(long, [`${long}`.slice(1)], 5)).toEqual([]);
    expect(closestNames(long.slice(1), [long], 5)).toEqual([]);
  });

  it('stops at its bound of candidates', () => {
    const many = Array.from({ length: limits.maxNameCandidates }, () => 'zzzzzzzz');
    expect(closestNames('email', [...many, 'emails'], 5)).toEqual([]);
  });
});
