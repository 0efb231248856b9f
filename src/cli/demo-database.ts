/**
 * The demo's database: PostgreSQL compiled to WebAssembly (PGlite) in this very process, behind a socket so that the
 * proxy and ordinary clients reach it as they would any server. Nothing of it touches the disk.
 */
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

export interface DemoDatabase {
  readonly url: string;
  readonly version: string;
  close(): Promise<void>;
}

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

export async function startDemoDatabase(): Promise<DemoDatabase> {
  const db = await PGlite.create();
  await db.exec(setup);
  const { rows } = await db.query<{ version: string }>("select current_setting('server_version') as version");
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 16 });
  await server.start();
  return {
    url: `postgres://postgres@${server.getServerConn()}/postgres`,
    version: rows[0]?.version ?? 'unknown',
    close: async () => {
      await server.stop();
      await db.close();
    },
  };
}
