"""The battery as a program of psycopg 3. Arguments: URL, JSON file of the failing statements. Prints JSON lines."""

import json
import sys
import threading
import time

import psycopg
from psycopg import sql

url, cases_file = sys.argv[1:3]
cases = json.load(open(cases_file))
repetitions = 3
wait_seconds = 20

FIELDS = {
    "severity": "severity",
    "code": "sqlstate",
    "message": "message_primary",
    "detail": "message_detail",
    "hint": "message_hint",
    "position": "statement_position",
    "internalPosition": "internal_position",
    "internalQuery": "internal_query",
    "where": "context",
    "schema": "schema_name",
    "table": "table_name",
    "column": "column_name",
    "dataType": "datatype_name",
    "constraint": "constraint_name",
    "file": "source_file",
    "line": "source_line",
    "routine": "source_function",
}

DIAGNOSTICS = {name: psycopg.pq.DiagnosticField[field.upper()] for name, field in FIELDS.items()}


def say(step, **fields):
    print(json.dumps({"step": step, **fields}, default=lambda value: repr(value)), flush=True)


def describe(error):
    diag = getattr(error, "diag", error)
    if getattr(diag, "sqlstate", None) is None:
        return {"kind": type(error).__name__, "other": str(error)}
    return {"kind": type(error).__name__, **{name: getattr(diag, field) for name, field in FIELDS.items()}}


def connect(**options):
    connection = psycopg.connect(url, autocommit=True, **options)
    connection.add_notice_handler(lambda diag: say("notice", notice=describe(diag)))
    return connection


def answer(cursor):
    results = []
    while True:
        columns = [f"{one.name}:{one.type_code}" for one in cursor.description or []]
        rows = cursor.fetchall() if cursor.description else None
        results.append({"tag": cursor.statusmessage, "count": cursor.rowcount, "columns": columns, "rows": rows})
        if not cursor.nextset():
            return results


def attempt(connection, step, work):
    try:
        value = work()
        say(step, value=value, status=connection.info.transaction_status.name)
    except psycopg.Error as error:
        say(step, error=describe(error), status=connection.info.transaction_status.name)


def run(connection, step, text, parameters=None, **options):
    binary = options.pop("binary", False)

    def work():
        with connection.cursor(binary=binary) as cursor:
            cursor.execute(text, parameters, **options)
            return answer(cursor)

    attempt(connection, step, work)


def failures(connection):
    for case in cases:
        if "before" in case:
            connection.execute(case["before"])
        text = case["sql"]
        ways = [("simple", {})]
        if not case.get("isTextOnly"):
            ways += [("binary", {"binary": True}), ("prepared", {"prepare": True})]
        for label, options in ways:
            for time_ in range(1, repetitions + 1):
                run(connection, f"{case['code']} {time_} {label} {text}", text, **options)
        if "after" in case:
            connection.execute(case["after"])


def parameters(connection):
    for time_ in range(1, repetitions + 1):
        for options in ({}, {"binary": True}, {"prepare": True}):
            run(connection, f"parameters {time_}", "select name, id from city where id = %s", (time_,), **options)
            run(connection, f"bad value {time_}", "select id from city where id = %s::text::int", ("x",), **options)
            run(connection, f"duplicate {time_}", "insert into person (id, email) values (%s, %s)", (50, "a@example.org"), **options)
            run(connection, f"null byte {time_}", "select convert_from(%s, 'UTF8')", (b"\x00",), **options)
        run(connection, f"types {time_}", "select %s, %s, %s, %s", (1.5, True, [1, 2], b"\x01\xff"), binary=True)

        def many():
            with connection.cursor() as cursor:
                cursor.executemany("insert into copied values (%s, %s)", [(900, "a"), (901, "b"), (900, "c")])

        attempt(connection, f"executemany {time_}", many)
        connection.execute("delete from copied")


def transactions(connection):
    for time_ in range(1, repetitions + 1):
        run(connection, f"texts {time_}", "select 1; select nope from city; select 2")
        run(connection, f"good texts {time_}", "select 1; update city set name = name; select 'x'")

        def block():
            with connection.transaction():
                connection.execute("update city set name = name where id = 1")
                try:
                    with connection.transaction():
                        connection.execute("select nope from city")
                except psycopg.Error as error:
                    say("savepoint", error=describe(error), status=connection.info.transaction_status.name)
                connection.execute("insert into slot values (8, 2)")

        attempt(connection, f"deferred at commit {time_}", block)
        run(connection, f"deferred autocommit {time_}", "insert into slot values (8, %s)", (2,))
        run(connection, f"aborted {time_}", "begin")
        run(connection, f"aborted {time_}", "select 1/0")
        run(connection, f"25P02 {time_}", "select id from city where id = %s", (1,))
        run(connection, f"aborted {time_}", "rollback")


def pipelines(connection):
    """libpq's pipeline mode, result by result; then the library's own, whose errors surface at whichever call comes next."""
    pgconn = connection.pgconn
    for time_ in range(1, repetitions + 1):
        pgconn.nonblocking = 0
        pgconn.enter_pipeline_mode()
        for texts in (("select 1", "select name from city order by id"), ("select 2", "select 1/0", "select 3"), ("select 4",)):
            for text in texts:
                pgconn.send_query_params(text.encode(), None)
            pgconn.pipeline_sync()
        outcomes = []
        syncs = 0
        while syncs < 3:
            result = pgconn.get_result()
            if result is None:
                continue
            status = psycopg.pq.ExecStatus(result.status).name
            syncs += status == "PIPELINE_SYNC"
            values = [result.get_value(row, 0).decode() for row in range(result.ntuples)]
            fields = {name: result.error_field(field) for name, field in DIAGNOSTICS.items()}
            error = {name: value and value.decode() for name, value in fields.items()} if status == "FATAL_ERROR" else None
            outcomes.append([status, values, error])
        pgconn.exit_pipeline_mode()
        say(f"libpq pipeline {time_}", outcomes=outcomes, status=connection.info.transaction_status.name)

        errors = []
        for texts in (("select 5", "select nope from city", "select 6"), ("insert into person (id, email) values (60, 'a@example.org')",)):
            try:
                with connection.pipeline():
                    for text in texts:
                        connection.execute(text)
            except psycopg.Error as error:
                errors.append(describe(error))
        after = connection.execute("select 7").fetchall()
        say(f"pipeline {time_}", errors=errors, after=after, status=connection.info.transaction_status.name)


def cursors(connection):
    for time_ in range(1, repetitions + 1):
        for text in ("select g from generate_series(1, 25) g", "select 10 / (13 - g) from generate_series(1, 25) g", "select nope from city"):

            def read():
                batches = []
                with connection.transaction(), connection.cursor(name="reading") as cursor:
                    cursor.execute(text)
                    while rows := cursor.fetchmany(10):
                        batches.append(rows)
                return batches

            attempt(connection, f"server cursor {time_} {text}", read)
        attempt(connection, f"stream {time_}", lambda: list(connection.cursor().stream("select g from generate_series(1, 20) g")))
        attempt(connection, f"stream failing {time_}", lambda: list(connection.cursor().stream("select 10 / (5 - g) from generate_series(1, 20) g")))


def copies(connection):
    def load(rows, text="copy copied from stdin"):
        with connection.cursor() as cursor:
            with cursor.copy(text) as copy:
                for row in rows:
                    copy.write_row(row)
            return cursor.statusmessage

    def unload(text):
        with connection.cursor() as cursor, cursor.copy(text) as copy:
            return b"".join(bytes(block) for block in copy).hex()

    attempt(connection, "copy in", lambda: load([(index, "w" * (index % 70)) for index in range(1000)]))
    for time_ in range(1, repetitions + 1):
        attempt(connection, f"copy out {time_}", lambda: unload("copy (select * from copied order by id) to stdout"))
        attempt(connection, f"copy binary {time_}", lambda: unload("copy (select id from copied order by id limit 9) to stdout (format binary)"))
        attempt(connection, f"copy duplicate {time_}", lambda: load([(5000, "ok"), (1, "again")]))
        attempt(connection, f"copy bad value {time_}", lambda: load([("x", "bad")]))
        attempt(connection, f"copy unknown table {time_}", lambda: load([(1, "x")], "copy nowhere from stdin"))
        attempt(connection, f"copy out failing {time_}", lambda: unload("copy (select 10 / (3 - g) from generate_series(1, 9) g) to stdout"))

        def give_up():
            with connection.cursor() as cursor, cursor.copy("copy copied from stdin") as copy:
                copy.write_row((7000, "x"))
                raise ValueError("given up")

        try:
            give_up()
        except (ValueError, psycopg.Error) as error:
            say(f"copy given up {time_}", error=describe(error), status=connection.info.transaction_status.name)
        run(connection, f"after copies {time_}", "select count(*) from copied")


def cancellations():
    connection = connect()
    watcher = connect()
    pid = connection.info.backend_pid
    for time_ in range(1, repetitions + 1):
        thread = threading.Thread(target=run, args=(connection, f"cancelled {time_}", "select pg_sleep(30)"))
        thread.start()
        deadline = time.monotonic() + wait_seconds
        while not watcher.execute("select 1 from pg_stat_activity where pid = %s and wait_event = 'PgSleep'", (pid,)).fetchone():
            assert time.monotonic() < deadline, "the statement did not start"
            time.sleep(0.01)
        connection.cancel_safe(timeout=wait_seconds)
        thread.join(wait_seconds)
        run(connection, f"after cancel {time_}", "select 1")
    watcher.close()
    connection.close()


def notifications():
    listener = connect()
    sender = connect()
    listener.execute("listen news")
    for word in ("one", "two", "three"):
        sender.execute("select pg_notify('news', %s)", (word,))
    heard = [notify.payload for notify in listener.notifies(timeout=wait_seconds, stop_after=3)]
    say("notifications", heard=heard)
    for time_ in range(1, repetitions + 1):
        run(listener, f"after notify {time_}", "select nope from city")
    killed = listener.info.backend_pid
    sender.execute("select pg_terminate_backend(%s)", (killed,))
    deadline = time.monotonic() + wait_seconds
    while sender.execute("select 1 from pg_stat_activity where pid = %s", (killed,)).fetchone():
        assert time.monotonic() < deadline, "the session did not end"
        time.sleep(0.01)
    try:
        listener.execute("select 1")
    except psycopg.Error as error:
        say("terminated", error=describe(error))
    sender.close()


def encodings():
    connection = connect(client_encoding="LATIN1")
    for time_ in range(1, repetitions + 1):
        run(connection, f"latin1 rows {time_}", "select name from city order by id")
        run(connection, f"latin1 error {time_}", sql.SQL("select {} from city").format(sql.Identifier("Jyv\u00e4skyl\u00e4")))
    connection.execute("set client_encoding = 'UTF8'")
    for time_ in range(1, repetitions + 1):
        run(connection, f"utf8 error {time_}", 'select "Jyv\u00e4skyl\u00e4 \U0001f600" from city')
    connection.close()


def refusals():
    for time_ in range(1, repetitions + 1):
        for step, options in (("3D000", {"dbname": "no_such_database"}), ("28P01", {"password": "wrong"})):
            try:
                psycopg.connect(url, sslmode="disable", **options)
            except psycopg.Error as error:
                say(f"{step} {time_}", other=str(error))


def versions():
    """Protocol 3.2 with its longer cancel keys, where both ends know it."""
    if psycopg.pq.version() < 180000:
        return
    connection = connect(max_protocol_version="latest")
    say("protocol", version=connection.pgconn.full_protocol_version if hasattr(connection.pgconn, "full_protocol_version") else None)
    for time_ in range(1, repetitions + 1):
        run(connection, f"newest protocol {time_}", "select nope from city")
    connection.close()


main = connect()
for part in (failures, parameters, transactions, pipelines, cursors, copies):
    part(main)
main.close()
for part in (cancellations, notifications, encodings, refusals, versions):
    part()
