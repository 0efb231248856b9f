// The catalog was read with functions that look past the read's snapshot: a table dropped meanwhile, as every test suite
// and every migration does, failed the read ("cache lookup failed for index"), and nothing was recalled for a while.
import pg from 'pg';
import { expect, it } from 'vitest';
import {
  beginRead,
  type ConstraintRow,
  endRead,
  selectColumns,
  selectConstraints,
  selectPartitions,
  selectSearchPaths,
} from '../../adapters/postgres/catalog-queries.js';
import { createDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';

const everyKind = `
  create domain positive as int constraint positive_value check (value > 0);
  create type mood as enum ('sad', 'ok');
  create function refuse() returns trigger language plpgsql as 'begin raise ''no''; end';
  create table parent (id int primary key, name text, unique (name) include (id));
  create table child (
    id positive primary key, feeling mood, label text, parent_id int references parent on delete cascade, during int4range,
    check (id < 100), unique (id, parent_id) deferrable, exclude using gist (during with &&));
  create unique index child_label on child (lower(label)) where id > 3;
  create trigger refusing before insert on child for each row when (new.id > 5) execute function refuse();
  create table measure (at int not null primary key, value int) partition by range (at);
  create table measure_1 partition of measure for values from (1) to (10);
  create view seen as select * from child`;

const dropAll = `
  drop view seen; drop table child, parent, measure; drop function refuse(); drop type mood; drop domain positive`;

describeEachPostgres('a catalog read', (server) => {
  it('goes on when what it reads about is dropped', async () => {
    const database = await createDatabase(server.url, everyKind);
    const reader = new pg.Client(database.url);
    const migration = new pg.Client(database.url);
    await Promise.all([reader.connect(), migration.connect()]);
    const rowsOf = async <Row extends unknown[]>(text: string): Promise<Row[]> =>
      (await reader.query<Row>({ text, rowMode: 'array' })).rows;
    try {
      // The first statement takes the snapshot that the others read.
      await reader.query(beginRead);
      expect(await rowsOf(selectColumns)).not.toHaveLength(0);
      const before = await rowsOf<ConstraintRow>(selectConstraints);
      await migration.query(dropAll);
      const after = await rowsOf<ConstraintRow>(selectConstraints);
      expect(after).toEqual(before);
      const kinds = new Set(after.map(([, kind]) => kind));
      for (const kind of ['p', 'u', 'f', 'c', 'd', 'x', 'i', 'T']) expect(kinds).toContain(kind);
      expect(await rowsOf(selectColumns)).not.toHaveLength(0);
      await rowsOf(selectPartitions);
      await rowsOf(selectSearchPaths);
      await reader.query(endRead);
    } finally {
      await Promise.all([reader.end(), migration.end()]);
      await database.drop();
    }
  });
});
