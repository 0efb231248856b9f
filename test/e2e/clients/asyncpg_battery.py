"""The battery as a program of asyncpg. Arguments: URL, JSON file of the failing statements. Prints JSON lines."""

import asyncio
import io
import json
import sys

import asyncpg

url, cases_file = sys.argv[1:3]
cases = json.load(open(cases_file))
repetitions = 3
wait_seconds = 20

FIELDS = {
    "severity": "severity",
    "code": "sqlstate",
    "message": "message",
    "detail": "detail",
    "hint": "hint",
    "position": "position",
    "internalPosition": "internal_position",
    "internalQuery": "internal_query",
    "where": "context",
    "schema": "schema_name",
    "table": "table_name",
    "column": "column_name",
    "dataType": "data_type_name",
    "constraint": "constraint_name",
    "file": "server_source_filename",
    "line": "server_source_line",
    "routine": "server_source_function",
}


def say(step, **fields):
    print(json.dumps({"step": step, **fields}, default=lambda value: repr(value)), flush=True)


def describe(error):
    if getattr(error, "sqlstate", None) is None or not hasattr(error, "severity"):
        return {"kind": type(error).__name__, "other": str(error)}
    return {"kind": type(error).__name__, **{name: getattr(error, field, None) for name, field in FIELDS.items()}}


async def connect(**options):
    connection = await asyncpg.connect(url, **options)
    connection.add_log_listener(lambda _, message: say("notice", notice=describe(message)))
    return connection


async def attempt(connection, step, work):
    try:
        value = await work
        say(step, value=value if not isinstance(value, list) else [list(row) if isinstance(row, asyncpg.Record) else row for row in value],
            inBlock=connection.is_in_transaction())
    except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncio.TimeoutError) as error:
        say(step, error=describe(error), inBlock=connection.is_in_transaction())


async def failures(connection):
    for case in cases:
        if "before" in case:
            await connection.execute(case["before"])
        text = case["sql"]
        for time_ in range(1, repetitions + 1):
            await attempt(connection, f"{case['code']} {time_} simple {text}", connection.execute(text))
        if not case.get("isTextOnly"):
            for time_ in range(1, repetitions + 1):
                await attempt(connection, f"{case['code']} {time_} extended {text}", connection.fetch(text))
        if "after" in case:
            await connection.execute(case["after"])


async def prepared(connection):
    statement = await connection.prepare("select 10 / (id - $1) from city order by id")
    for time_ in range(1, repetitions + 1):
        await attempt(connection, f"prepared {time_}", statement.fetch(9))
        await attempt(connection, f"prepared failing {time_}", statement.fetch(2))
        await attempt(connection, f"prepare bad {time_}", connection.prepare("select nope from city"))
        await attempt(connection, f"parameters {time_}", connection.fetchval("select $1::text || $2", "a", "b"))
        await attempt(connection, f"duplicate {time_}", connection.execute("insert into person (id, email) values ($1, $2)", 70, "a@example.org"))
        rows = [(910, "a"), (911, "b"), (910, "c")]
        await attempt(connection, f"executemany {time_}", connection.executemany("insert into copied values ($1, $2)", rows))
        await attempt(connection, f"executemany good {time_}", connection.executemany("insert into copied values ($1, $2)", [(920 + time_, "x")]))
    await connection.execute("delete from copied")


async def transactions(connection):
    for time_ in range(1, repetitions + 1):
        await attempt(connection, f"texts {time_}", connection.execute("select 1; select nope from city; select 2"))

        async def block():
            async with connection.transaction():
                await connection.execute("update city set name = name where id = 1")
                try:
                    async with connection.transaction():
                        await connection.fetch("select nope from city")
                except asyncpg.PostgresError as error:
                    say("savepoint", error=describe(error), inBlock=connection.is_in_transaction())
                await connection.execute("insert into slot values (9, $1)", 2)

        await attempt(connection, f"deferred at commit {time_}", block())
        await attempt(connection, f"deferred autocommit {time_}", connection.execute("insert into slot values (9, $1)", 2))
        await attempt(connection, f"aborted {time_}", connection.execute("begin"))
        await attempt(connection, f"aborted {time_}", connection.fetch("select 1/0"))
        await attempt(connection, f"25P02 {time_}", connection.fetch("select id from city"))
        await attempt(connection, f"aborted {time_}", connection.execute("rollback"))


async def cursors(connection):
    for time_ in range(1, repetitions + 1):
        for text in ("select g from generate_series(1, 25) g", "select 10 / (13 - g) from generate_series(1, 25) g"):

            async def read():
                seen = []
                async with connection.transaction():
                    async for row in connection.cursor(text, prefetch=10):
                        seen.append(row[0])
                return seen

            await attempt(connection, f"cursor {time_} {text}", read())


async def copies(connection):
    records = [(index, "w" * (index % 70)) for index in range(1000)]
    await attempt(connection, "copy records", connection.copy_records_to_table("copied", records=records))
    for time_ in range(1, repetitions + 1):
        await attempt(connection, f"copy duplicate {time_}", connection.copy_records_to_table("copied", records=[(1, "x")]))
        await attempt(connection, f"copy text {time_}", connection.copy_to_table("copied", source=io.BytesIO(b"x\tbad\n")))
        await attempt(connection, f"copy unknown table {time_}", connection.copy_to_table("nowhere", source=io.BytesIO(b"1\n")))
        for text in ("select * from copied order by id", "select 10 / (3 - g) from generate_series(1, 9) g", "select nope from city"):
            output = io.BytesIO()
            await attempt(connection, f"copy out {time_} {text}", connection.copy_from_query(text, output=output))
            say("copied", bytes=output.getvalue().hex())
        await attempt(connection, f"after copies {time_}", connection.fetch("select count(*) from copied"))


async def timeouts():
    connection = await connect()
    for time_ in range(1, repetitions + 1):
        await attempt(connection, f"client timeout {time_}", connection.fetch("select pg_sleep(30)", timeout=0.1))
        await attempt(connection, f"after timeout {time_}", connection.fetch("select 1"))
    await connection.close()


async def notifications():
    listener = await connect()
    sender = await connect()
    heard = []
    complete = asyncio.Event()

    def on_notify(_connection, _pid, channel, payload):
        heard.append([channel, payload])
        if len(heard) == 3:
            complete.set()

    await listener.add_listener("news", on_notify)
    for word in ("one", "two", "three"):
        await sender.execute("select pg_notify('news', $1)", word)
    await asyncio.wait_for(complete.wait(), wait_seconds)
    say("notifications", heard=heard)
    for time_ in range(1, repetitions + 1):
        await attempt(listener, f"after notify {time_}", listener.fetch("select nope from city"))
    ended = asyncio.Event()
    listener.add_termination_listener(lambda _: ended.set())
    await sender.execute("select pg_terminate_backend($1)", listener.get_server_pid())
    await asyncio.wait_for(ended.wait(), wait_seconds)
    say("terminated", closed=listener.is_closed())
    await sender.close()


async def refusals():
    for time_ in range(1, repetitions + 1):
        for step, options in (("3D000", {"database": "no_such_database"}), ("28P01", {"password": "wrong"})):
            try:
                await asyncpg.connect(url, ssl=False, **options)
            except asyncpg.PostgresError as error:
                say(f"{step} {time_}", error=describe(error))


async def main():
    connection = await connect()
    for part in (failures, prepared, transactions, cursors, copies):
        await part(connection)
    await connection.close()
    for part in (timeouts, notifications, refusals):
        await part()


asyncio.run(main())
