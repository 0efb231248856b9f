import { describe, expect, it } from 'vitest';
import { stateAfterFailure } from '../../../../adapters/mysql/state-after-failure.js';
import { statementKind } from '../../../../adapters/mysql/statement-kind.js';
import type { TransactionState } from '../../../../src/core/verdict.js';

const { other, write, ddl, implicitCommit, commit, compound, set } = statementKind;

const rows = [
  ['a duplicate key', 1062, write, 'open', 'open'],
  ['a lock wait timeout', 1205, write, 'open', 'open'],
  ['a deadlock', 1213, write, 'idle', 'idle'],
  ['a full lock table', 1206, write, 'idle', 'idle'],
  ['a record changed since the snapshot', 1020, write, 'open', 'idle'],
  ['a rollback by the group', 3101, commit, 'idle', 'idle'],
  ['a number of 3101 that is not that', 3101, write, 'idle', 'open'],
  ['a failed commit', 1180, commit, 'idle', 'idle'],
  ['a branch rolled back', 1614, other, 'aborted', 'aborted'],
  ['DDL', 1050, ddl, 'idle', 'idle'],
  ['DDL without a database', 1046, ddl, 'open', 'open'],
  ['DDL that does not parse', 1064, ddl, 'open', 'open'],
  ['a routine whose body is wrong', 1308, ddl, 'open', 'open'],
  ['GRANT', 1146, implicitCommit, 'idle', 'idle'],
  ['COMMIT that does not parse', 1064, commit, 'open', 'open'],
  ['SET', 1193, set, 'open', 'open'],
  ['shutdown', 1053, other, 'closed', 'closed'],
  ['idle for too long', 4031, other, 'closed', 'open'],
  ['a session killed', 3169, other, 'closed', 'open'],
  ['a connection killed', 1927, other, 'open', 'closed'],
  ['a packet too large', 1153, write, 'closed', 'closed'],
  ['a query killed', 1317, write, 'open', 'open'],
  ['CALL, which may have committed', 1062, compound, 'unknown', 'unknown'],
] as const satisfies readonly (readonly [string, number, number, TransactionState, TransactionState])[];

describe('state after a failure in an open transaction', () => {
  it.each(rows)('%s (%i)', (_name, errno, kind, mysql, mariadb) => {
    const failed = { kind, phase: 'execute' } as const;
    expect(stateAfterFailure(errno, failed, 'mysql', 'open')).toBe(mysql);
    expect(stateAfterFailure(errno, failed, 'mariadb', 'open')).toBe(mariadb);
  });

  it('is what it was without one', () => {
    for (const kind of [write, ddl, compound]) {
      expect(stateAfterFailure(1062, { kind, phase: 'execute' }, 'mysql', 'idle')).toBe('idle');
    }
    expect(stateAfterFailure(1062, { kind: write, phase: 'execute' }, 'mysql', 'unknown')).toBe('unknown');
  });

  it('is what it was where DDL is only prepared', () => {
    expect(stateAfterFailure(1146, { kind: ddl, phase: 'parse' }, 'mysql', 'open')).toBe('open');
  });
});
