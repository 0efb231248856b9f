import { describe, expect, it } from 'vitest';
import { recordId } from '../../../../src/core/memory/record-id.js';
import { facts } from './events.js';

const base = facts();

describe('recordId', () => {
  it('is 16 lower-case hex digits and the same each time', () => {
    expect(recordId(base)).toMatch(/^[0-9a-f]{16}$/);
    expect(recordId(facts())).toBe(recordId(base));
  });

  it.each([
    ['upstream', { scope: { upstream: 'other', database: 'shop' } }],
    ['database', { scope: { upstream: 'shop', database: 'other' } }],
    ['backend', { backend: 'document' }],
    ['engine', { engine: 'mysql' }],
    ['shape', { shape: 'insert into users ( email ) values ( ? )' }],
    ['tables fingerprint', { fingerprint: { ...base.fingerprint, tables: '9999999999999999' } }],
    ['constraints fingerprint', { fingerprint: { ...base.fingerprint, constraints: '9999999999999999' } }],
    ['class', { class: 'check_violation' }],
    ['code', { code: '23514' }],
    ['object name', { object: { kind: 'constraint', name: 'users_name_key' } }],
    ['object kind', { object: { kind: 'name', name: 'users_email_key' } }],
    ['no object', { object: null }],
  ] as const)('moves with the %s', (_what, over) => {
    expect(recordId({ ...base, ...over })).not.toBe(recordId(base));
  });

  it.each([
    ['holes', { holes: 'pp' }],
    ['detail', { detail: 'other' }],
    ['evidence', { evidence: { session: 's2' } }],
    ['database fingerprint', { fingerprint: { ...base.fingerprint, database: '9999999999999999' } }],
    ['phase', { phase: 'bind' }],
  ] as const)('does not move with the %s', (_what, over) => {
    expect(recordId({ ...base, ...over })).toBe(recordId(base));
  });

  it('ignores constraints for a class that does not depend on them', () => {
    const syntax = facts({ class: 'syntax', code: '42601' });
    const moved = { ...syntax, fingerprint: { ...syntax.fingerprint, constraints: '9999999999999999' } };
    expect(recordId(moved)).toBe(recordId(syntax));
  });

  it('cannot be confused by where one part ends and the next begins', () => {
    const one = recordId({ ...base, scope: { upstream: 'a', database: 'bc' } });
    const other = recordId({ ...base, scope: { upstream: 'ab', database: 'c' } });
    expect(one).not.toBe(other);
  });
});
