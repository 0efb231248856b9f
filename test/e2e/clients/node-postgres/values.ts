/** Encodings, settings that change how text is read, and values of a few hundred kilobytes. */
import type pg from 'pg';
import { repetitions } from '../../battery/failing-statements.js';
import type { Transcript } from '../../battery/transcript.js';
import { attempt } from './session.js';

export async function encodings(client: pg.Client, log: Transcript): Promise<void> {
  await attempt(client, log, 'latin1', "set client_encoding = 'LATIN1'");
  await attempt(client, log, 'latin1 rows', 'select name::bytea from city order by id');
  for (let time = 1; time <= repetitions; time += 1) {
    const text = "select convert_to('\u00e9', 'UTF8'), 'x'::int";
    await attempt(client, log, `latin1 failing ${time}`, text);
    await attempt(client, log, `latin1 unknown ${time}`, 'select "Jyv\u00e4skyl\u00e4" from city');
  }
  await attempt(client, log, 'utf8', "set client_encoding = 'UTF8'");
  for (let time = 1; time <= repetitions; time += 1) {
    await attempt(
      client,
      log,
      `utf8 unknown ${time}`,
      'select "Jyv\u00e4skyl\u00e4 \u{1f600}", nope from city',
    );
  }
  for (const setting of [
    'standard_conforming_strings = off',
    'standard_conforming_strings = on',
    "datestyle = 'German'",
    "application_name = 'renamed'",
    "search_path = 'public'",
  ]) {
    await attempt(client, log, `set ${setting}`, `set ${setting}`);
    await attempt(
      client,
      log,
      `after ${setting}`,
      "select 'a\\\\b', date '2024-01-02'::text, nope from city",
    );
    await attempt(client, log, `after ${setting}`, "select 'a\\\\b', date '2024-01-02'::text");
  }
}

export async function bigValues(client: pg.Client, log: Transcript): Promise<void> {
  const body = 'v'.repeat(200_000);
  await attempt(client, log, 'big insert', `insert into big values (1, '${body}')`);
  for (let time = 1; time <= repetitions; time += 1) {
    await attempt(client, log, `big duplicate ${time}`, `insert into big values (1, '${body}')`);
    await attempt(client, log, `big parameter duplicate ${time}`, {
      text: 'insert into big values ($1, $2)',
      values: [1, body],
    });
  }
  await attempt(client, log, 'big row', 'select length(body), md5(body) from big');
  const wide = Array.from(
    { length: 1500 },
    (_, index) => `${index} as column_with_a_rather_long_name_${index}`,
  ).join(', ');
  await attempt(client, log, 'wide row', `select ${wide}`);
}
