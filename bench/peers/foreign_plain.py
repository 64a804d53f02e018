# SPDX-License-Identifier: MIT
"""The same work as foreign.cpp in plain Python: it parses each record with `json.loads`, and keeps nothing of it."""
import json
import pathlib
import resource
import sqlite3
import sys
import time

BEGIN = 64 << 10


def files(target):
    return sorted(target.rglob("*.jsonl")) if target.is_dir() else [target]


def database(target):
    return sqlite3.connect("file:%s?mode=ro" % target, uri=True)


def list_sessions(target):
    if target.suffix == ".db":
        return len(database(target).execute("SELECT id, title, directory, time_updated FROM session").fetchall())
    count = 0
    for path in files(target):
        with open(path, encoding="utf-8") as file:
            begin = file.read(BEGIN)
        rows = [json.loads(line) for line in begin.split("\n")[:-1]]
        count += 1 if rows else 0
    return count


def import_all(target):
    count = 0
    if target.suffix == ".db":
        base = database(target)
        for table in ("message", "part"):
            for (data,) in base.execute("SELECT data FROM %s ORDER BY session_id, time_created, id" % table):
                json.loads(data)
                count += 1
        return count
    for path in files(target):
        with open(path, encoding="utf-8") as file:
            for line in file:
                json.loads(line)
                count += 1
    return count


def history(target, name):
    """The messages of one session, in the program's order, as one text."""
    messages = []
    if target.suffix == ".db":
        base = database(target)
        rows = base.execute("SELECT id, data FROM message WHERE session_id=? ORDER BY time_created, id", (name,))
        for message, data in rows.fetchall():
            parts = [json.loads(part) for (part,) in
                     base.execute("SELECT data FROM part WHERE message_id=? ORDER BY id", (message,))]
            messages.append({"role": json.loads(data)["role"], "content": parts})
    else:
        path = next(path for path in files(target) if name in path.name)
        with open(path, encoding="utf-8") as file:
            entries = [json.loads(line) for line in file]
        if entries[0].get("type") == "session_meta":
            messages = [entry["payload"] for entry in entries if entry["type"] == "response_item"]
        else:
            by_id = {entry["uuid"]: entry for entry in entries if "uuid" in entry}
            at = entries[-1]
            while at:
                messages.append(at.get("message"))
                at = by_id.get(at.get("parentUuid"))
            messages.reverse()
    json.dumps(messages)
    return len(messages)


operation, target = sys.argv[1], pathlib.Path(sys.argv[2])
begin = time.perf_counter()
if operation == "list":
    done = list_sessions(target)
elif operation == "import":
    done = import_all(target)
else:
    done = history(target, sys.argv[3])
ms = (time.perf_counter() - begin) * 1000
with open("/proc/self/io", encoding="ascii") as counts:
    read = int(next(line for line in counts if line.startswith("rchar:")).split()[1])
print(json.dumps({"ms": ms, "count": done, "peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "read": read}))
