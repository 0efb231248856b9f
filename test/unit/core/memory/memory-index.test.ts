import { describe, expect, it } from 'vitest';
import { MemoryIndex } from '../../../../src/core/memory/memory-index.js';
import type { MemoryEvent } from '../../../../src/core/memory/record.js';
import { facts, failureEvent } from './events.js';

const scope = facts().scope;
const at = '2026-11-02T00:00:00.000Z';
const leave = (id: string): MemoryEvent => ({ v: 1, event: 'deleted', id, at, reason: 'x', author: 'ann' });
const comeBack = (id: string): MemoryEvent => ({
  ...{ v: 1, event: 'restored', id, reason: 'x', author: 'ann' },
  at: '2026-11-03T00:00:00.000Z',
});

describe('MemoryIndex', () => {
  it('finds a record by id, by shape and by its tables', () => {
    const memory = new MemoryIndex();
    const event = failureEvent();
    expect(memory.apply(event)).toBe('added');
    const partition = memory.partition(scope, 'postgresql', 'relational');
    const record = memory.byId(event.id);
    expect(record).toMatchObject({ failures: 1, shape: event.shape });
    expect(partition.exact(event.shape)).toEqual([record]);
    expect(partition.buckets(['public.users'])).toMatchObject([
      { verb: 'insert', code: '23505', records: [record] },
    ]);
    expect(partition.buckets(['public.orders'])).toEqual([]);
    expect(partition.exact('select ?')).toEqual([]);
  });

  it('keeps scopes, engines and backends apart', () => {
    const memory = new MemoryIndex();
    memory.apply(failureEvent());
    const { shape } = failureEvent();
    expect(memory.partition({ ...scope, database: 'x' }, 'postgresql', 'relational').exact(shape)).toEqual(
      [],
    );
    expect(memory.partition({ ...scope, upstream: 'x' }, 'postgresql', 'relational').exact(shape)).toEqual(
      [],
    );
    expect(memory.partition(scope, 'mysql', 'relational').exact(shape)).toEqual([]);
    expect(memory.partition(scope, 'postgresql', 'document').exact(shape)).toEqual([]);
    expect(memory.partition({ ...scope }, 'postgresql', 'relational').exact(shape)).toHaveLength(1);
  });

  it('counts one record however often its failure is added', () => {
    const memory = new MemoryIndex();
    memory.apply(failureEvent());
    expect(memory.apply(failureEvent())).toBe('changed');
    expect(memory.size).toBe(1);
    expect(memory.byId(facts().id)?.failures).toBe(2);
    expect(memory.partition(scope, 'postgresql', 'relational').exact(facts().shape)).toHaveLength(1);
  });

  it('keeps several records of one shape, and of one bucket', () => {
    const memory = new MemoryIndex();
    memory.apply(failureEvent());
    memory.apply(failureEvent({ code: '23514', class: 'check_violation' }));
    memory.apply(failureEvent({ shape: 'insert into users ( email ) values ( ? )' }));
    const partition = memory.partition(scope, 'postgresql', 'relational');
    expect(partition.exact(facts().shape)).toHaveLength(2);
    expect(partition.buckets(['public.users']).map(({ records }) => records.length)).toEqual([2, 1]);
  });

  it('knows at any time how many are live, in all and in a partition', () => {
    const memory = new MemoryIndex();
    const partition = memory.partition(scope, 'postgresql', 'relational');
    const { id } = facts();
    memory.apply(failureEvent());
    expect([partition.liveCount, memory.countByStatus().live]).toEqual([1, 1]);
    memory.apply(leave(id));
    memory.apply(leave(id));
    expect([partition.liveCount, memory.countByStatus().live, memory.countByStatus().deleted]).toEqual([
      0, 0, 1,
    ]);
    memory.apply(comeBack(id));
    expect([partition.liveCount, memory.countByStatus().live, memory.countByStatus().deleted]).toEqual([
      1, 1, 0,
    ]);
  });

  it('counts right what comes in after its own end', () => {
    const memory = new MemoryIndex();
    expect(memory.apply(leave(facts().id))).toBe('held');
    memory.apply(failureEvent());
    expect(memory.partition(scope, 'postgresql', 'relational').liveCount).toBe(0);
    expect(memory.countByStatus()).toMatchObject({ live: 0, deleted: 1 });
  });

  it('shares what records have in common', () => {
    const memory = new MemoryIndex();
    const copy = (shape: string) => memory.apply(structuredClone(failureEvent({ shape })));
    copy('insert into users ( a ) values ( ? )');
    copy('insert into users ( b ) values ( ? )');
    const [one, two] = memory.records();
    expect(one?.scope).toBe(two?.scope);
    expect(one?.tables).toBe(two?.tables);
    expect(one?.fingerprint).toBe(two?.fingerprint);
    expect(one?.object).toBe(two?.object);
  });

  it('does not confuse objects and fingerprints that share a part', () => {
    const memory = new MemoryIndex();
    const { fingerprint } = facts();
    const objects = [
      { kind: 'constraint', name: 'n' },
      { kind: 'column', name: 'n' },
      { kind: 'constraint', name: 'n' },
    ] as const;
    objects.forEach((object, index) => {
      const constraints = `${index % 2}`.repeat(16);
      memory.apply(
        failureEvent({ object, shape: `s${index}`, fingerprint: { ...fingerprint, constraints } }),
      );
    });
    expect([...memory.records()].map(({ object }) => object)).toEqual(objects);
    expect([...memory.records()].map(({ fingerprint: { constraints } }) => constraints[0])).toEqual([
      '0',
      '1',
      '0',
    ]);
  });

  it('moves a record to the id of its new fingerprint', () => {
    const memory = new MemoryIndex();
    memory.apply(failureEvent());
    const record = memory.byId(facts().id);
    if (record === undefined) throw new Error('no record');
    const fingerprint = { ...record.fingerprint, tables: '9'.repeat(16) };
    const object = { kind: 'constraint', name: 'guests_email_key' } as const;
    expect(memory.rekey(record, { object, tables: ['public.guests'], fingerprint })).toBe(record);
    const partition = memory.partition(scope, 'postgresql', 'relational');
    expect(memory.byId(facts().id)).toBeUndefined();
    expect(memory.byId(record.id)).toBe(record);
    expect(record.object).toEqual(object);
    expect(record.id).toBe(facts({ fingerprint, object, tables: ['public.guests'] }).id);
    expect(partition.buckets(['public.users']).flatMap(({ records }) => records)).toEqual([]);
    expect(partition.buckets(['public.guests']).flatMap(({ records }) => records)).toEqual([record]);
    expect(partition.exact(record.shape)).toEqual([record]);
    expect([memory.size, partition.liveCount, memory.countByStatus().live]).toEqual([1, 1, 1]);
  });

  it('merges a moved record into the one that has that id', () => {
    const memory = new MemoryIndex();
    const fingerprint = { ...facts().fingerprint, tables: '9'.repeat(16) };
    memory.apply(failureEvent({ fingerprint }));
    memory.apply(failureEvent());
    memory.apply(failureEvent());
    const record = memory.byId(facts().id);
    if (record === undefined) throw new Error('no record');
    const kept = memory.rekey(record, { ...record, fingerprint });
    expect(kept).not.toBe(record);
    expect(kept.failures).toBe(3);
    const partition = memory.partition(scope, 'postgresql', 'relational');
    expect(partition.exact(record.shape)).toEqual([kept]);
    expect([memory.size, partition.liveCount, memory.countByStatus().live]).toEqual([1, 1, 1]);
  });

  it('forgets everything, and partitions handed out go on', () => {
    const memory = new MemoryIndex();
    const partition = memory.partition(scope, 'postgresql', 'relational');
    memory.apply(failureEvent());
    memory.clear();
    expect([memory.size, partition.liveCount, partition.exact(facts().shape).length]).toEqual([0, 0, 0]);
    expect(memory.countByStatus().live).toBe(0);
    memory.apply(failureEvent());
    expect(partition.liveCount).toBe(1);
  });
});
