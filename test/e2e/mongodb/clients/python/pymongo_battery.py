"""The battery as a program of PyMongo. Arguments: URL, JSON file of the failing commands. Prints JSON lines.

Every reply is written down as PyMongo's monitoring shows it, beside what the call returned or raised.
"""

import json
import sys
import threading

from bson import json_util
from pymongo import DeleteOne, InsertOne, MongoClient, UpdateOne, monitoring
from pymongo.errors import PyMongoError

url, cases_file = sys.argv[1:3]
cases = json.load(open(cases_file))
repetitions = 3
wait_ms = 20_000
options = json_util.JSONOptions(json_mode=json_util.JSONMode.RELAXED)


class Replies(monitoring.CommandListener):
    def __init__(self):
        self.seen = []

    def started(self, event):
        pass

    def succeeded(self, event):
        self.seen.append({"succeeded": event.command_name, "reply": event.reply})

    def failed(self, event):
        self.seen.append({"failed": event.command_name, "failure": event.failure})


def say(step, **fields):
    print(json_util.dumps({"step": step, **fields}, json_options=options, default=str), flush=True)


def own_words(text):
    """Behind them stands the whole reply as Python writes it, which `details` has too."""
    return str(text).split(", full error: ")[0]


def describe(error):
    labels = sorted(error._error_labels) if isinstance(error, PyMongoError) else None
    return {
        "class": type(error).__name__,
        "text": own_words(error),
        "arguments": [own_words(one) for one in error.args],
        "code": getattr(error, "code", None),
        "details": getattr(error, "details", None),
        "labels": labels,
        "isTimeout": getattr(error, "timeout", None),
    }


class Session:
    def __init__(self, target=url, **more):
        self.replies = Replies()
        self.client = MongoClient(target, event_listeners=[self.replies], maxPoolSize=1, serverSelectionTimeoutMS=wait_ms, **more)
        self.database = self.client.get_default_database()
        self.users = self.database.users
        self.many = self.database.many

    def step(self, name, work):
        self.replies.seen.clear()
        try:
            outcome = {"value": work()}
        except PyMongoError as error:
            outcome = {"error": describe(error)}
        say(name, **outcome, replies=list(self.replies.seen))

    def close(self):
        self.client.close()


def failures(session):
    for case in cases:
        command = json_util.loads(json.dumps(case["command"]))
        for time in range(1, repetitions + 1):
            session.step(f"{case['kind']} #{time}", lambda: session.database.command(command))


def documents(session):
    users, step = session.users, session.step
    step("insert one", lambda: users.insert_one({"_id": 100, "email": "100@example.org", "nested": {"a": [1]}}).inserted_id)
    step("insert many", lambda: users.insert_many([{"_id": 101, "email": "101@e"}, {"_id": 102, "email": "102@e"}]).inserted_ids)
    step("find", lambda: list(users.find({"_id": {"$gte": 100}}).sort("_id", 1)))
    step("find one", lambda: users.find_one({"email": "ada@example.org"}, {"name": 1}))
    step("count", lambda: users.count_documents({"city": "London"}))
    step("distinct", lambda: users.distinct("city"))
    step("update one", lambda: users.update_one({"_id": 100}, {"$set": {"age": 1}}).raw_result)
    step("update many", lambda: users.update_many({"_id": {"$gte": 100}}, {"$set": {"late": True}}).raw_result)
    step("upsert", lambda: users.update_one({"_id": 103}, {"$set": {"email": "103@e"}}, upsert=True).raw_result)
    step("find and update", lambda: users.find_one_and_update({"_id": 100}, {"$set": {"age": 2}}, return_document=True))
    step("find and delete", lambda: users.find_one_and_delete({"_id": 102}))
    step("delete many", lambda: users.delete_many({"_id": {"$gte": 100}}).raw_result)
    for time in range(1, repetitions + 1):
        step(f"duplicate by insert one {time}", lambda: users.insert_one({"_id": 1, "by": "insert one"}).inserted_id)
        step(f"duplicate by insert many {time}", lambda: users.insert_many([{"_id": 120}, {"_id": 1, "by": "insert many"}]).inserted_ids)
        step(f"duplicate by update {time}", lambda: users.update_one({"_id": 1}, {"$set": {"email": "eve@example.org"}}).raw_result)
        step(f"duplicate by find and update {time}", lambda: users.find_one_and_update({"_id": 1}, {"$set": {"email": "eve@example.org"}}))
        step(f"unknown operator by find {time}", lambda: users.find_one({"city": {"$like": "L%"}}))
        step(f"unknown stage by aggregate {time}", lambda: list(users.aggregate([{"$explode": {}}])))
        step(f"after failures {time}", lambda: users.delete_many({"_id": {"$gte": 100}}).raw_result)


def bulk_writes(session):
    requests = [
        InsertOne({"_id": 200, "email": "200@example.org"}),
        InsertOne({"_id": 1, "bulk": True}),
        UpdateOne({"_id": 2}, {"$nope": {"age": 1}}),
        UpdateOne({"_id": 2}, {"$set": {"age": 41}}),
        DeleteOne({"_id": 200}),
    ]
    for ordered in (True, False):
        for time in range(1, repetitions + 1):
            session.step(f"bulk write ordered {ordered} {time}", lambda: session.users.bulk_write(list(requests), ordered=ordered).bulk_api_result)
            session.step(f"after bulk write ordered {ordered} {time}", lambda: session.users.delete_many({"_id": {"$gte": 200}}).raw_result)


def cursors(session):
    for size in (1000, 101, 50):
        session.step(f"cursor in batches of {size}", lambda: list(session.many.find().sort("_id", 1).batch_size(size)))
    late = [{"$sort": {"_id": 1}}, {"$project": {"a": {"$divide": [1, {"$subtract": ["$_id", 300]}]}}}]
    for time in range(1, repetitions + 1):
        session.step(f"cursor that fails {time}", lambda: list(session.many.aggregate(late)))


def logins():
    def ping(step, **account):
        session = Session(**account)
        session.step(step, lambda: session.client.admin.command("ping"))
        session.close()

    for time in range(1, 3):
        ping(f"login {time}")
        ping(f"login with a wrong password {time}", password="wrong", username="app")
        ping(f"login of nobody {time}", password="secretpw", username="nobody")
    for direct in (True, False):
        ping(f"login, direct connection {direct}", directConnection=direct)


def several():
    client = MongoClient(url, maxPoolSize=4, serverSelectionTimeoutMS=wait_ms)
    users = client.get_default_database().users
    told = {}

    def work(number):
        for _ in range(5):
            users.find_one({"_id": number})
            try:
                users.find_one({f"field{number}": {f"$nope{number}": number}})
            except PyMongoError as error:
                told[number] = f"$nope{number}" in str(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(wait_ms / 1000)
    say("several at once", told=[told.get(number) for number in range(8)])
    client.close()


session = Session()
for part in (failures, documents, bulk_writes, cursors):
    part(session)
session.close()
logins()
several()
