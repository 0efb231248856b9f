"""What the Python clients' batteries share: DB-API calls in a fixed order, written down as JSON lines.

Each program gives a `Client`: how to connect, how to run one text, how to describe an error and the session's status.
Arguments of every program: URL, JSON file of the failing statements, mysql or mariadb.
"""

import json
import os
import sys
import tempfile
import threading
import time
from datetime import date, datetime, timedelta
from decimal import Decimal
from urllib.parse import urlsplit

url, cases_file, flavour = sys.argv[1:4]
cases = json.load(open(cases_file))
repetitions = 3
wait_seconds = 20
where = urlsplit(url)
database = where.path[1:]


def plain(value):
    if isinstance(value, (bytes, bytearray)):
        return f"hex:{bytes(value).hex()}"
    if isinstance(value, (datetime, date, timedelta, Decimal, set)):
        return f"{type(value).__name__}:{value}"
    return repr(value)


def say(step, **fields):
    print(json.dumps({"step": step, **fields}, default=plain), flush=True)


class Client:
    """What differs between the libraries."""

    error = Exception
    ways = ("text",)
    # Ways in which this client never returns from an error that comes after rows, whoever is at the other end.
    stuck_after_rows = ()

    def connect(self, **options):
        """A session; `user`, `password`, `database` default to those of the URL."""
        raise NotImplementedError

    def cursor(self, connection, way):
        raise NotImplementedError

    def describe(self, error):
        raise NotImplementedError

    def status(self, connection):
        raise NotImplementedError

    def answer(self, cursor):
        raise NotImplementedError

    def account(self, **options):
        return {
            "host": where.hostname,
            "port": where.port,
            "user": where.username,
            "password": where.password,
            "database": database,
            "autocommit": True,
            **options,
        }

    def attempt(self, connection, step, work):
        try:
            value = work()
            say(step, value=value, status=self.status(connection))
        except self.error as error:
            say(step, error=self.describe(error), status=self.status(connection))

    def run(self, connection, step, text, parameters=None, way="text"):
        def work():
            cursor = self.cursor(connection, way)
            try:
                cursor.execute(text, parameters)
                return self.answer(cursor)
            finally:
                cursor.close()

        self.attempt(connection, step, work)

    def quiet(self, connection, text):
        cursor = self.cursor(connection, "text")
        cursor.execute(text)
        rows = cursor.fetchall() if cursor.description else []
        cursor.close()
        return rows


def failures(client):
    connection = client.connect()
    reader = client.connect(user="reader", password="readerpw")
    for case in cases:
        session = reader if case.get("isReader") else connection
        if "before" in case:
            client.quiet(session, case["before"])
        for way in client.ways[:1] if case.get("isTextOnly") else client.ways:
            if case.get("isLate") and way in client.stuck_after_rows:
                continue
            for time_ in range(1, repetitions + 1):
                client.run(session, f"{case['code']} {time_} {way} {case['sql']}", case["sql"], way=way)
        if "after" in case:
            client.quiet(session, case["after"])
    reader.close()
    connection.close()


def results(client):
    connection = client.connect()
    for text in (
        "select * from city order by id",
        "select * from person order by id",
        "select * from copied",
        "select cast(1 as signed) as a, 1.5 as b, null as c, x'00ff' as d, date '2024-01-02' as e, time '10:11:12' as f",
        "insert into copied (word) values ('one'), ('two'), ('three')",
        "insert ignore into copied (id, word) values (1, 'again')",
        "update copied set word = word",
        "replace into copied (id, word) values (1, 'replaced')",
        "truncate table copied",
        "set sql_mode = ''",
        "insert into person (email, age, nick) values ('w', 'x', 'far too long')",
        "show warnings",
        "delete from person where email = 'w'",
        "set sql_mode = default",
        "call two_sets()",
        "call overdraw()",
    ):
        client.run(connection, f"result {text}", text)
    connection.close()


def parameters(client):
    connection = client.connect()
    for time_ in range(1, repetitions + 1):
        for way in client.ways:
            client.run(connection, f"parameters {way} {time_}", "select name from city where id = %s", (time_,), way)
            client.run(connection, f"duplicate {way} {time_}", "insert into person (id, email) values (%s, %s)", (50, "a@example.org"), way)
            client.run(connection, f"bad value {way} {time_}", "update person set born = %s where id = %s", ("yesterday-ish", 1), way)
            client.run(connection, f"no table {way} {time_}", "select * from nowhere where id = %s", (1,), way)
            if way not in client.stuck_after_rows:
                client.run(connection, f"late failure {way} {time_}", "select id, checked(id + %s) as c from city order by id", (1,), way)
            client.run(connection, f"types {way} {time_}", "select %s as a, %s as b, %s as c, %s as d, %s as e", (1.5, "\u00f6\U0001f600", b"\x00\xff", None, datetime(2024, 1, 2, 3, 4, 5, 678)), way)
    connection.close()


def many(client):
    connection = client.connect()
    insert = "insert into copied (id, word) values (%s, %s)"
    for time_ in range(1, repetitions + 1):
        for name, rows in (
            ("good", [(number, f"word {number}") for number in range(1, 200)]),
            ("duplicate", [(900, "a"), (901, "b"), (900, "c")]),
            ("too long", [(950, "a"), (951, "x" * 200)]),
        ):

            def work():
                cursor = client.cursor(connection, "text")
                try:
                    cursor.executemany(insert, rows)
                    return cursor.rowcount
                finally:
                    cursor.close()

            client.attempt(connection, f"executemany {name} {time_}", work)
        client.run(connection, f"after executemany {time_}", "select count(*), max(id) from copied")
        client.quiet(connection, "delete from copied")
    client.quiet(connection, "truncate table copied")
    connection.close()


def transactions(client):
    connection = client.connect(autocommit=False)
    for time_ in range(1, repetitions + 1):
        client.run(connection, f"block {time_}", "update account set balance = balance + 1 where id = 2")
        client.run(connection, f"failure in a block {time_}", "select nme from city")
        client.run(connection, f"block {time_}", "select count(*) from account")
        client.attempt(connection, f"rollback {time_}", connection.rollback)
        client.run(connection, f"block {time_}", "insert into city (id, name) values (1, 'again')")
        client.attempt(connection, f"commit {time_}", connection.commit)
    connection.close()


def procedures(client):
    connection = client.connect()
    for time_ in range(1, repetitions + 1):
        for name, arguments in (("two_sets", ()), ("overdraw", ()), ("no_such_procedure", (1,))):

            def work():
                cursor = client.cursor(connection, "text")
                try:
                    cursor.callproc(name, arguments)
                    return client.answer(cursor)
                finally:
                    cursor.close()

            client.attempt(connection, f"callproc {name} {time_}", work)
    connection.close()


def local_files(client):
    connection = client.connect(local_infile=True)
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "rows")
        with open(name, "w") as file:
            file.writelines(f"{number}\tword\n" for number in range(1, 500))

        def load(step, path, into):
            def work():
                cursor = client.cursor(connection, "text")
                try:
                    cursor.execute(f"load data local infile '{path}' into {into}")
                    return cursor.rowcount
                finally:
                    cursor.close()

            client.attempt(connection, step, work)

        load("file", name, "table copied (id, word)")
        for time_ in range(1, repetitions + 1):
            load(f"file again {time_}", name, "table copied (id, word)")
            load(f"file for no table {time_}", name, "table nowhere (id, word)")
            load(f"file that fails midway {time_}", name, "table copied (id, word) set twin = (select d from digits)")
            client.run(connection, f"after files {time_}", "select count(*) from copied")
    client.quiet(connection, "truncate table copied")
    connection.close()


def poll(what, condition):
    deadline = time.monotonic() + wait_seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.02)


def waits_for_lock(client, watcher, thread_id):
    """From the engine's report: the table of transactions goes stale while several sessions read it often."""
    report = client.quiet(watcher, "show engine innodb status")[0][2]
    # What comes before the first transaction tells of the last deadlock.
    own = [one for one in report.split("---TRANSACTION")[1:] if f"thread id {thread_id}," in one]
    return len(own) == 1 and "LOCK WAIT" in own[0]


def deadlocks(client):
    """The heavier session waits for row 3, then ours asks for row 2 and is the one that gives way."""
    connection, other, watcher = client.connect(), client.connect(), client.connect()
    other_id = client.quiet(other, "select connection_id()")[0][0]
    for time_ in range(1, repetitions + 1):
        client.quiet(connection, "begin")
        client.quiet(connection, "update held set v = 1 where id = 3")
        client.quiet(other, "begin")
        for row in (2, 4, 5):
            client.quiet(other, f"update held set v = v + 1 where id = {row}")
        waiting = threading.Thread(target=client.quiet, args=(other, "update held set v = v + 1 where id = 3"))
        waiting.start()
        poll("the other session to wait", lambda: waits_for_lock(client, watcher, other_id))
        client.run(connection, f"1213 {time_}", "update held set v = 1 where id = 2")
        waiting.join(wait_seconds)
        client.quiet(other, "rollback")
        client.run(connection, f"after 1213 {time_}", "rollback")
    for one in (connection, other, watcher):
        one.close()


def kills(client):
    killer = client.connect()
    for time_ in range(1, repetitions + 1):
        connection = client.connect()
        thread_id = client.quiet(connection, "select connection_id()")[0][0]
        running = threading.Thread(target=client.run, args=(connection, f"never: killed query {time_}", "select max(sleep(30)) from city"))
        running.start()
        sleeps = f"select count(*) from information_schema.processlist where id = {thread_id} and info like 'select max(sleep%'"
        poll("the statement to run", lambda: client.quiet(killer, sleeps)[0][0] == 1)
        client.quiet(killer, f"kill query {thread_id}")
        running.join(wait_seconds)
        client.run(connection, f"after a killed query {time_}", "select nme from city")
        connection.close()
    killer.close()


def refused_logins(client):
    for time_ in range(1, repetitions + 1):
        for step, options in (
            ("wrong password", {"password": "wrong"}),
            ("unknown user", {"user": "nobody_here"}),
            ("unknown database", {"database": "no_such_database"}),
        ):
            try:
                client.connect(**options).close()
                say(f"never: {step} {time_}", value="logged in")
            except client.error as error:
                say(f"never: {step} {time_}", error=client.describe(error))


def run_all(client, extra=()):
    for part in (failures, results, parameters, many, transactions, procedures, local_files, deadlocks, kills, *extra, refused_logins):
        part(client)
