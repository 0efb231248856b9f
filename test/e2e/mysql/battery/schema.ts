/** The tables every client's battery runs on, made before the client connects. Both servers take the same text. */
export const batterySchema = `
create table city (
  id int primary key,
  name varchar(40) not null,
  country varchar(2),
  constraint city_name_key unique (name),
  constraint city_country_check check (country <> '')
);
create table person (
  id int primary key auto_increment,
  email varchar(60) not null,
  age int,
  city_id int,
  nick varchar(8),
  shoe smallint,
  mood enum('good', 'bad'),
  born datetime,
  constraint person_email_key unique (email),
  constraint person_age_check check (age >= 0),
  constraint person_city_fkey foreign key (city_id) references city (id)
);
create table account (id int primary key, balance int not null);
create trigger account_guard before update on account for each row
begin
  if new.balance < 0 then
    signal sqlstate '45000' set message_text = 'an account cannot overdraw';
  end if;
end;
create procedure overdraw() begin
  select id from city order by id;
  signal sqlstate '45123' set message_text = 'custom failure', mysql_errno = 31234;
end;
create procedure two_sets() begin
  select id, name from city order by id;
  update city set country = country where id = 1;
  select 'second' as word;
end;
create function checked(value int) returns int deterministic begin
  if value > 2 then
    signal sqlstate '22003' set message_text = 'the value is out of bounds', mysql_errno = 1264;
  end if;
  return value;
end;
create table held (id int primary key, v int);
create table copied (id int primary key auto_increment, word varchar(100), twin int);
create table big (id int primary key, body longtext);
create table digits (d int primary key);
create view city_names as select id, name from city;
insert into city values (1, 'Oslo', 'NO'), (2, 'Riga', 'LV'), (3, 'Jyv\u00e4skyl\u00e4', 'FI');
insert into person (id, email, age, city_id, nick, shoe) values
  (1, 'a@example.org', 40, 1, 'al', 42), (2, 'b@example.org', 30, 2, 'bo', 39);
insert into account values (1, 100), (2, 50);
insert into held values (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0);
insert into digits values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
`;

/** Held by the harness for as long as a client runs, so that row 1 of `held` is locked for it. */
export const lockStatements = ['begin', 'select v from held where id = 1 for update'];
