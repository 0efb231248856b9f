import { describe, expect, it } from 'vitest';
import { matchesError } from '../../../../src/core/recall/gate.js';
import type { Engine } from '../../../../src/core/verdict.js';
import { record } from '../memory/events.js';

const error = { class: 'undefined_object', code: '1054' } as const;
const failed = (engine: Engine, kind: 'column' | 'table', name: string) =>
  record({ ...error, engine, object: { kind, name } });

describe('the object two errors name', () => {
  it.each([
    ['mysql', 'column', true],
    ['mariadb', 'column', true],
    ['mysql', 'table', false],
    ['postgresql', 'column', false],
  ] as const)('of %s, a %s, is the same in another case: %s', (engine, kind, isSame) => {
    expect(matchesError(failed(engine, kind, 'ID'), { ...error, object: { kind, name: 'id' } })).toBe(isSame);
    expect(matchesError(failed(engine, kind, 'ID'), { ...error, object: { kind, name: 'ix' } })).toBe(false);
    expect(matchesError(failed(engine, kind, 'ID'), { ...error, object: null })).toBe(true);
  });
});
