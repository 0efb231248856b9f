import { describe, expect, it } from 'vitest';
import {
  commandKind,
  hasOperations,
  isHousekeeping,
  isSecret,
  isWork,
  readCommandKind,
} from '../../../../adapters/mongodb/command-kind.js';

function kindOf(name: string): number {
  // among other bytes, as in a document
  const bytes = Buffer.from(`xx${name}yy`);
  return readCommandKind(bytes, 2, bytes.length - 2);
}

describe('readCommandKind', () => {
  it.each([
    ['find', commandKind.plain],
    ['getMore', commandKind.plain],
    ['hello', commandKind.hello],
    ['ismaster', commandKind.hello],
    ['isMaster', commandKind.hello],
    ['saslStart', commandKind.saslStart],
    ['saslContinue', commandKind.saslContinue],
    ['authenticate', commandKind.authenticate],
    ['ping', commandKind.housekeeping],
    ['endSessions', commandKind.housekeeping],
    ['serverStatus', commandKind.administration],
    ['insert', commandKind.insert],
    ['update', commandKind.update],
    ['delete', commandKind.delete],
    ['bulkWrite', commandKind.bulkWrite],
    ['createIndexes', commandKind.ddl],
    ['aggregate', commandKind.aggregate],
    ['commitTransaction', commandKind.commitTransaction],
    ['abortTransaction', commandKind.abortTransaction],
  ])('reads %s', (name, kind) => {
    expect(kindOf(name)).toBe(kind);
  });

  it.each(['', 'Insert', 'INSERT', 'inser', 'inserts', 'x'.repeat(5_000), 'hello\u{1f44b}'])(
    'takes %j for a command like any other',
    (name) => {
      expect(kindOf(name)).toBe(commandKind.plain);
    },
  );
});

describe('kinds', () => {
  const where = (is: (kind: (typeof commandKind)[keyof typeof commandKind]) => boolean): string[] =>
    Object.entries(commandKind).flatMap(([name, kind]) => (is(kind) ? [name] : []));

  it('know whose bytes are not kept, whose success counts, and who fails in parts', () => {
    expect(where(isSecret)).toEqual(['hello', 'saslStart', 'saslContinue', 'authenticate']);
    expect(where(isHousekeeping)).toEqual([
      'housekeeping',
      'hello',
      'saslStart',
      'saslContinue',
      'authenticate',
    ]);
    expect(where(hasOperations)).toEqual(['insert', 'update', 'delete', 'bulkWrite']);
    expect(where(isWork)).toEqual(['plain', 'insert', 'update', 'delete', 'bulkWrite', 'ddl', 'aggregate']);
  });
});
