/**
 * The demo's database: PostgreSQL compiled to WebAssembly (PGlite) in this very process, behind a socket so that the
 * proxy and ordinary clients reach it as they would any server. Nothing of it touches the disk.
 */
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import pg from 'pg';
import { postgresScenes } from './script.js';
import { type DemoAnswer, type DemoStage, labelled } from './stage.js';

const setup = `
create table users (
  id    int generated always as identity primary key,
  email text not null unique,
  name  text not null
);
insert into users (email, name) values ('ada@example.org', 'Ada');

create table accounts (owner text primary key, balance int not null);
insert into accounts values ('ada', 100), ('ben', 20);

create function refuse_overdraft() returns trigger language plpgsql as $$
begin
  if new.balance < 0 then
    raise exception 'account % would be overdrawn by %', new.owner, -new.balance;
  end if;
  return new;
end $$;
create trigger accounts_no_overdraft before insert or update on accounts
  for each row execute function refuse_overdraft();
`;

export async function openPostgresStage(): Promise<DemoStage> {
  const db = await PGlite.create();
  await db.exec(setup);
  const { rows } = await db.query<{ version: string }>("select current_setting('server_version') as version");
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 16 });
  await server.start();
  return {
    server: `PostgreSQL ${rows[0]?.version ?? 'unknown'} (PGlite)`,
    url: `postgres://postgres@${server.getServerConn()}/postgres`,
    scenes: postgresScenes,
    connect: async (address) => {
      const client = new pg.Client({ ...address, user: 'postgres', password: 'demo', database: 'postgres' });
      client.on('error', () => undefined);
      await client.connect();
      return { ask: (sql) => ask(client, sql), end: () => client.end() };
    },
    close: async () => {
      await server.stop();
      await db.close();
    },
  };
}

async function ask(client: pg.Client, sql: string): Promise<DemoAnswer> {
  try {
    const { command, rowCount, rows } = await client.query<Record<string, unknown>>(sql);
    const lines = [`${command} ${rowCount ?? 0}`, ...rows.map((row) => JSON.stringify(row))];
    return { isOk: true, errorText: '', lines };
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    const { severity = 'ERROR', message, hint } = error;
    const hintLines = hint === undefined ? [] : labelled('HINT:', hint);
    return { isOk: false, errorText: message, lines: [...labelled(`${severity}:`, message), ...hintLines] };
  }
}
