/**
 * Values of statements, parameters and errors stay out of the memory, the notes and the logs: every statement below
 * carries a word that is a value, and that word may come back only where the server itself repeated it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { createDatabase } from '../servers/database.js';
import { leaks, leaksIn, noteIn, secretDigits, secretWord } from '../support/leaks.js';
import { describePostgres } from '../support/postgres-servers.js';
import { startProxy } from '../support/start-proxy.js';
import { batterySchema } from './battery/schema.js';

const word = secretWord;
const digits = secretDigits;

/** Each is refused, with the value in a place where a lexer, a message or a detail could let it through. */
const statements: readonly string[] = [
  `insert into city values (1, '${word}')`,
  `insert into person (id, email) values (${digits}, '${word}')`,
  `insert into person (id, email, age) values (7, '${word}', -1)`,
  `insert into person (id, email, nick) values (7, 'x', '${word}-${digits}')`,
  `select '${word}'::int`,
  `select '${word}'::date`,
  `select '${word}'::no_such_type`,
  `select id from city where name = '${word}' and nope = ${digits}`,
  `select * from city where id = '${word}'`,
  `selec '${word}', ${digits}`,
  `insert into city values (1 '${word}')`,
  `insert into city values (1, ${digits} ${digits})`,
  `select '${word}`,
  `select E'it\\'s ${word}`,
  `select $tag$${word}$tag$ || nope from city`,
  `select $tag$${word}`,
  `select U&'${word}\\zzzz'`,
  `select B'${word}'`,
  `select X'${word}'`,
  `select N'${word}', nope from city`,
  `select nope from city -- ${word} ${digits}`,
  `select nope /* ${word} /* nested ${digits} */ */ from city`,
  `select nope from city /* ${word}`,
  `select ${digits}${word}`,
  `select ${digits}::int2`,
  `select 1.${digits}e999999`,
  `do $$ begin raise exception 'not allowed: %', '${word} ${digits}'; end $$`,
  `do $$ begin raise exception using message = '${word}', detail = '${word}', hint = '${word}'; end $$`,
  `do $$ begin perform '${word}'::int; end $$`,
  `create role app password '${word}'`,
  `set timezone = '${word}'`,
  `set work_mem = ${digits}`,
  `select set_config('work_mem', '${word}', false)`,
  `execute nobody_prepared('${word}', ${digits})`,
  `prepare hidden as select nope from city where name = '${word}'`,
  `copy (select '${word}'::int) to stdout`,
  `select '{"a": ${word}}'::json`,
  `select '(${word}'::point`,
  `select '${word}' ~ '(${word}' from city`,
  `select convert_from('\\xff'::bytea, '${word}')`,
  `declare c cursor for select '${word}'::int`,
  `notify "n", '${word}${'x'.repeat(9000)}'`,
];

describePostgres('what a client writes', (server) => {
  it('reaches neither the memory, nor a note, nor a log', async () => {
    const database = await createDatabase(server.url, batterySchema);
    const memory = mkdtempSync(join(tmpdir(), 'twiceshy-privacy-'));
    const proxy = await startProxy({ upstreamUrl: database.url, memory, args: ['--log-level', 'trace'] });
    const client = new pg.Client(proxy.through(database.url));
    await client.connect();
    const notes: string[] = [];
    for (const sql of statements) {
      for (let time = 1; time <= 3; time += 1) {
        for (const query of [{ text: sql }, { text: sql, queryMode: 'extended' }]) {
          notes.push(...notesOf(await refusal(client, query)));
        }
      }
    }
    for (let time = 1; time <= 3; time += 1) {
      notes.push(...notesOf(await refusal(client, { text: 'select $1::int', values: [word] })));
      notes.push(
        ...notesOf(await refusal(client, { text: 'insert into city values ($1, $2)', values: [1, word] })),
      );
    }
    await client.end();
    expect(notes.length).toBeGreaterThan(statements.length);
    expect(notes.filter(leaks)).toEqual([]);
    const { stderr } = await proxy.stop();
    expect(leaksIn(stderr)).toEqual([]);
    const files = readdirSync(memory).map((file) => readFileSync(join(memory, file), 'utf8'));
    expect(files.join('\n').split('\n').length).toBeGreaterThan(statements.length / 2);
    expect(files.flatMap(leaksIn)).toEqual([]);
    rmSync(memory, { recursive: true });
    await database.drop();
  });
});

async function refusal(client: pg.Client, query: object): Promise<pg.DatabaseError> {
  try {
    await client.query(query as pg.QueryConfig);
  } catch (error) {
    return error as pg.DatabaseError;
  }
  throw new Error(`Not refused: ${JSON.stringify(query)}`);
}

function notesOf(error: pg.DatabaseError): string[] {
  return [error.message, error.hint ?? ''].map(noteIn).filter((note) => note !== null);
}
