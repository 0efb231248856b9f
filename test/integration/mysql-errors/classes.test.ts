/** Every error of the table, raised by a real server: its number, and the class it is read as. */
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classify } from '../../../adapters/mysql/classify.js';
import { errorCodesOf, type Flavour, readErrorCode } from '../../../adapters/mysql/error-codes.js';
import { readErrorFields } from '../../../adapters/mysql/error-fields.js';
import { redactAround } from '../../../src/core/notes/redact.js';
import type { TestDatabase } from '../../servers/database.js';
import { createMysqlDatabase } from '../../servers/mysql-database.js';
import { type AvailableMysql, describeEachMysql } from '../../support/mysql-servers.js';
import { fixture, onBoth, onMariadb, onMysql, type RaisingCase } from './cases.js';
import { type RaisedError, raisedBy } from './raise.js';

const casesOf = (flavour: Flavour): readonly RaisingCase[] =>
  [...onBoth, ...(flavour === 'mysql' ? onMysql : onMariadb)].sort((a, b) => a[0] - b[0]);

describeEachMysql('errors', (server: AvailableMysql) => {
  const { flavour } = server;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createMysqlDatabase(server.url);
    const connection = await createConnection(database.url);
    for (const statement of fixture) await connection.query(statement);
    await connection.end();
  });
  afterAll(() => database.drop());

  async function raise(statement: string, before: readonly string[] = []): Promise<RaisedError> {
    const connection = await createConnection(database.url);
    try {
      for (const text of before) await connection.query(text);
      return await raisedBy(connection, statement.replace('{database}', database.name));
    } finally {
      connection.destroy();
    }
  }

  const cases = casesOf(flavour).map(([code, failureClass, statement, before = []]) => ({
    code,
    failureClass,
    statement,
    before,
  }));
  it.each(cases)('$code is $failureClass: $statement', async ({ code, failureClass, statement, before }) => {
    const error = await raise(statement, before);
    expect(error.code).toBe(String(code));
    const read = { ...error, ...readErrorFields(error.code, error.message, flavour) };
    expect(classify({ error: read, phase: 'execute', isCancelRequested: false }, flavour).class).toBe(
      failureClass,
    );
    // Names of the fixture, words of the server, and nothing of what the statement says.
    const detail = redactAround(error.message, read.nameRanges ?? []);
    for (const [value] of statement.matchAll(/'[^']{2,}'/g)) {
      const isName = Object.values(read).includes(value.slice(1, -1));
      if (!isName && /[@\d]/.test(value)) expect(detail).not.toContain(value.slice(1, -1));
    }
  });

  it('raises more than a hundred and fifty numbers', () => {
    expect(new Set(casesOf(flavour).map(([code]) => code)).size).toBeGreaterThan(150);
  });

  it('knows each of them, but those that SIGNAL made up', () => {
    const unknown = casesOf(flavour).filter(
      ([code]) => code !== 1234 && readErrorCode(String(code), flavour).name === null,
    );
    expect(unknown).toEqual([]);
  });

  it.runIf(flavour === 'mysql')('has each number under the name the server has for it', async () => {
    const connection: Connection = await createConnection(server.url);
    const [rows] = await connection.query(
      'select error_number as number, error_name as name from performance_schema.events_errors_summary_global_by_error where error_number is not null',
    );
    await connection.end();
    const names = new Map(
      (rows as { number: number; name: string }[]).map(({ number, name }) => [String(number), name]),
    );
    expect(names.size).toBeGreaterThan(1_000);
    for (const code of errorCodesOf('mysql')) {
      const name = names
        .get(code)
        ?.replace(/^(?:OBSOLETE_)?(?:ER_)?/, '')
        .toLowerCase();
      if (name !== undefined) expect.soft(readErrorCode(code, 'mysql').name, code).toBe(name);
    }
  });
});

describe('the table of cases', () => {
  it('has no number twice for one server', () => {
    for (const flavour of ['mysql', 'mariadb'] as const) {
      const codes = casesOf(flavour).map(([code]) => code);
      expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
    }
  });
});
