"""The battery as a program of PyMySQL: texts only, unbuffered cursors, its own commands."""

import pymysql
from common import Client, repetitions, run_all, say
from pymysql.constants import CLIENT
from pymysql.cursors import SSCursor


class PyMysql(Client):
    error = pymysql.Error

    def connect(self, **options):
        return pymysql.connect(**self.account(**options))

    def cursor(self, connection, way):
        return connection.cursor(SSCursor) if way == "unbuffered" else connection.cursor()

    def describe(self, error):
        return {"kind": type(error).__name__, "args": list(error.args)}

    def status(self, connection):
        return connection.server_status

    def answer(self, cursor):
        found = []
        while True:
            rows = cursor.fetchall() if cursor.description else None
            result = cursor._result
            found.append(
                {
                    "columns": cursor.description,
                    "fields": [[f.table_name, f.org_name, f.charsetnr, f.length, f.flags] for f in getattr(result, "fields", None) or ()],
                    "rows": list(rows) if rows is not None else None,
                    "count": cursor.rowcount,
                    "insertId": cursor.lastrowid,
                    "warnings": cursor.warning_count,
                    "message": getattr(result, "message", None),
                }
            )
            if not cursor.nextset():
                return found


def several(client):
    connection = client.connect(client_flag=CLIENT.MULTI_STATEMENTS)
    for time_ in range(1, repetitions + 1):
        for text in (
            "select 1 as a; select 2 as b",
            "select 1 as a; select nme from city; select 2 as b",
            "update city set country = country where id = 1; selec 1",
            "do 1; call two_sets(); select id, checked(id) from city order by id; select 5",
        ):
            client.run(connection, f"several {time_} {text}", text)
            connection.close()
            connection = client.connect(client_flag=CLIENT.MULTI_STATEMENTS)
    connection.close()


def unbuffered(client):
    connection = client.connect()
    for time_ in range(1, repetitions + 1):
        for text in ("select a.d * 10 + b.d as n from digits a, digits b order by n", "select id, checked(id) as c from city order by id"):
            rows = []

            def work():
                with connection.cursor(SSCursor) as cursor:
                    cursor.execute(text)
                    for row in cursor.fetchall_unbuffered():
                        rows.append(row)
                return "complete"

            client.attempt(connection, f"unbuffered {time_} {text}", work)
            say("unbuffered rows", rows=rows)
    connection.close()


def commands(client):
    connection = client.connect()
    for time_ in range(1, repetitions + 1):
        client.attempt(connection, f"ping {time_}", lambda: connection.ping(reconnect=False))
        client.attempt(connection, f"select db {time_}", lambda: connection.select_db("sys"))
        client.attempt(connection, f"select no db {time_}", lambda: connection.select_db("no_such_database"))
        client.run(connection, f"database {time_}", "select database()")
        client.attempt(connection, f"process kill {time_}", lambda: connection.kill(4_000_000_000))
        client.attempt(connection, f"charset {time_}", lambda: connection.set_character_set("latin1"))
        client.run(connection, f"latin1 {time_}", "select 'Jyv\u00e4skyl\u00e4' as n, nme from city")
        client.attempt(connection, f"charset {time_}", lambda: connection.set_character_set("utf8mb4"))
        client.run(connection, f"utf8mb4 {time_}", "select 'Jyv\u00e4skyl\u00e4' as n, nme from city")
    connection.close()


run_all(PyMysql(), (several, unbuffered, commands))
