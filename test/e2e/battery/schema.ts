/** The tables every client's battery runs on, made before the client connects. */
export const batterySchema = `
create table city (
  id int primary key,
  name text not null constraint city_name_key unique,
  country text constraint city_country_check check (country <> '')
);
create table person (
  id int primary key,
  email text not null constraint person_email_key unique,
  age int constraint person_age_check check (age >= 0),
  city_id int constraint person_city_fkey references city (id),
  nick varchar(8),
  shoe smallint
);
create table booking (
  id int primary key,
  during int4range not null,
  constraint booking_no_overlap exclude using gist (during with &&)
);
create table account (id int primary key, balance int not null);
create function account_guard() returns trigger language plpgsql as $$
begin
  raise notice 'account % goes to %', new.id, new.balance;
  if new.balance < 0 then
    raise exception 'account % cannot overdraw', new.id using hint = 'Deposit first.', detail = 'Rule of the house.';
  end if;
  return new;
end $$;
create trigger account_guard before update on account for each row execute function account_guard();
create function warn_and_fail() returns void language plpgsql as $$
begin
  raise warning 'about to fail';
  raise exception using errcode = 'ZZ001', message = 'custom failure', column = 'c', table = 't', schema = 's';
end $$;
create table slot (id int, rank int, constraint slot_rank_key unique (rank) deferrable initially deferred);
create table held (id int primary key, v int);
create table secret (id int);
create table copied (id int primary key, word text);
create table big (id int primary key, body text);
insert into city values (1, 'Oslo', 'NO'), (2, 'Riga', 'LV'), (3, 'Jyväskylä', 'FI');
insert into person values (1, 'a@example.org', 40, 1, 'al', 42), (2, 'b@example.org', 30, 2, 'bo', 39);
insert into booking values (1, '[10,20)');
insert into account values (1, 100), (2, 50);
insert into slot values (1, 1), (2, 2);
insert into held values (1, 0), (2, 0);
insert into secret values (7);
grant select, insert, update, delete on all tables in schema public to reader, trust_user;
revoke all on secret from reader, trust_user;
analyze;
`;

/** Held by the harness for as long as a client runs, so that row 1 of `held` is locked for it. */
export const lockStatement = 'begin; select v from held where id = 1 for update';
