"""The battery as a program of mysql-connector-python; the fourth argument is pure or c."""

import sys

import mysql.connector
from common import Client, database, flavour, repetitions, run_all, say

is_pure = sys.argv[4] == "pure"
errors = (mysql.connector.Error,)
if not is_pure:
    import _mysql_connector

    errors += (_mysql_connector.MySQLInterfaceError,)


class Connector(Client):
    error = errors
    stuck_after_rows = ("prepared",) if is_pure else ()
    ways = ("text", "prepared")

    def connect(self, **options):
        if "local_infile" in options:
            options["allow_local_infile"] = options.pop("local_infile")
        # The default collation of this client is one MariaDB does not have.
        more = {"charset": "utf8mb4", "collation": "utf8mb4_general_ci"}
        connection = mysql.connector.connect(use_pure=is_pure, **more, **self.account(**options))
        assert type(connection).__name__ == ("MySQLConnection" if is_pure else "CMySQLConnection")
        return connection

    def cursor(self, connection, way):
        if way == "prepared":
            return connection.cursor(prepared=True)
        return connection.cursor(buffered=True)

    def describe(self, error):
        return {"kind": type(error).__name__, "errno": error.errno, "sqlstate": error.sqlstate, "msg": error.msg}

    def status(self, connection):
        return connection.in_transaction if connection.is_connected() else "closed"

    def answer(self, cursor):
        found = []
        while True:
            rows = cursor.fetchall() if cursor.description else None
            found.append(
                {
                    "columns": cursor.description,
                    "rows": rows,
                    "count": cursor.rowcount,
                    "insertId": cursor.lastrowid,
                    "warnings": cursor.warning_count,
                }
            )
            if not cursor.nextset():
                break
        for stored in cursor.stored_results() if hasattr(cursor, "stored_results") else ():
            found.append({"stored": stored.fetchall()})
        return found


def several(client):
    connection = client.connect()
    for time_ in range(1, repetitions + 1):
        for text in (
            "select 1 as a; select 2 as b",
            "select 1 as a; select nme from city; select 2 as b",
            "update city set country = country where id = 1; selec 1",
            "do 1; call two_sets(); select id, checked(id) from city order by id; select 5",
        ):
            client.run(connection, f"several {time_} {text}", text)
            connection.close()
            connection = client.connect()
    connection.close()


def commands(client):
    connection = client.connect()
    account = {"username": "app", "password": "secretpw", "database": database}
    for time_ in range(1, repetitions + 1):
        client.attempt(connection, f"init db {time_}", lambda: connection.cmd_init_db("sys") and None)
        client.attempt(connection, f"init no db {time_}", lambda: connection.cmd_init_db("no_such_database") and None)
        client.run(connection, f"database {time_}", "select database()")
        client.attempt(connection, f"ping {time_}", lambda: connection.ping())
        client.attempt(connection, f"statistics {time_}", lambda: sorted(connection.cmd_statistics()))
        client.attempt(connection, f"process kill {time_}", lambda: connection.cmd_process_kill(4_000_000_000))
        client.attempt(connection, f"reset {time_}", lambda: connection.cmd_reset_connection())
        reader = {**account, "username": "reader", "password": "readerpw"}
        client.attempt(connection, f"change user {time_}", lambda: connection.cmd_change_user(**reader) and None)
        client.run(connection, f"as reader {time_}", "delete from city where id = 1")
        client.attempt(connection, f"change back {time_}", lambda: connection.cmd_change_user(**account) and None)
        client.run(connection, f"as app {time_}", "select nme from city")
    connection.close()


def attributes(client):
    """Query attributes travel in the query packet itself; only MySQL takes them."""
    if flavour != "mysql":
        return
    connection = client.connect()
    for time_ in range(1, repetitions + 1):
        for text, parameters, way in (
            ("select id from city order by id", None, "text"),
            ("select nme from city", None, "text"),
            ("select id from city where id = %s", (1,), "prepared"),
            ("insert into city (id, name) values (%s, %s)", (1, "again"), "prepared"),
        ):

            def work():
                cursor = client.cursor(connection, way)
                try:
                    cursor.add_attribute("trace", "abc123")
                    cursor.add_attribute("number", 5)
                    cursor.execute(text, parameters)
                    return client.answer(cursor)
                finally:
                    cursor.close()

            client.attempt(connection, f"attributes {way} {time_} {text}", work)
    connection.close()


def unbuffered(client):
    connection = client.connect()
    for time_ in range(1, repetitions + 1):
        for text in ("select a.d * 10 + b.d as n from digits a, digits b order by n", "select id, checked(id) as c from city order by id"):
            rows = []

            def work():
                cursor = connection.cursor(buffered=False)
                cursor.execute(text)
                for row in cursor:
                    rows.append(row)
                cursor.close()
                return "complete"

            client.attempt(connection, f"unbuffered {time_} {text}", work)
            say("unbuffered rows", rows=rows)
            connection.close()
            connection = client.connect()
    connection.close()


run_all(Connector(), (several, commands, attributes, unbuffered))
