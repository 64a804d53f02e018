# SPDX-License-Identifier: MIT
"""Makes large files of other programs out of the small ones in tests/data/interchange."""
import json
import pathlib
import re
import sqlite3

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "tests" / "data" / "interchange"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
NAMES = re.compile(UUID.pattern + r"|msg_[0-9A-Za-z]+|toolu_[0-9A-Za-z]+")


def only(folder, pattern):
    return max((DATA / folder).rglob(pattern), key=lambda path: path.stat().st_size)


def claude_code(path, size):
    """One session whose conversation is that of a fixture, again and again."""
    source = only("claude-code-2.1.330/tools", "*.jsonl")
    lines = [line for line in source.read_text(encoding="utf-8").split("\n") if line and '"uuid"' in line]
    session = source.stem
    text = "\n".join(lines) + "\n"
    first, last = json.loads(lines[0]), json.loads(lines[-1])
    assert first["parentUuid"] is None
    pieces, names = NAMES.split(text), NAMES.findall(text)
    written, number, before = 0, 0, None
    with open(path, "w", encoding="utf-8") as file:
        while written < size:
            mark = "%06x" % number
            made = [name if name == session else name[:-6] + mark for name in names]
            again = "".join(piece + name for piece, name in zip(pieces, made + [""]))
            if before:
                again = again.replace('"parentUuid":null', '"parentUuid":"%s"' % before, 1)
            before = last["uuid"][:-6] + mark
            file.write(again)
            written += len(again)
            number += 1
    return number * len(lines)


def codex(folder, sessions):
    """A tree of sessions, as the program lays it out: below `sessions`, a folder for each day."""
    source = only("codex-0.169.0/tools", "rollout-*.jsonl")
    text = source.read_text(encoding="utf-8")
    thread = UUID.search(source.name).group(0)
    for number in range(sessions):
        named = thread[:-6] + "%06x" % number
        day = pathlib.Path(folder) / "sessions" / "2026" / ("%02d" % (1 + number // 28 % 12)) / ("%02d" % (1 + number % 28))
        day.mkdir(parents=True, exist_ok=True)
        (day / ("rollout-2026-01-01T00-00-00-%s.jsonl" % named)).write_text(text.replace(thread, named), encoding="utf-8")
    return sessions * text.count("\n")


def opencode(path, size, sessions):
    """A database with so many sessions, all with the messages of a fixture's session, again and again."""
    source = DATA / "opencode-1.18.33" / "tools" / "opencode.db"
    pathlib.Path(path).write_bytes(source.read_bytes())
    base = sqlite3.connect(path)
    base.execute("PRAGMA journal_mode=OFF")
    base.execute("PRAGMA synchronous=OFF")
    session = base.execute("SELECT session_id FROM message GROUP BY session_id ORDER BY count(*) DESC").fetchone()[0]

    def table(name, where):
        cursor = base.execute("SELECT * FROM %s WHERE %s=?" % (name, where), (session,))
        return [column[0] for column in cursor.description], cursor.fetchall()

    columns, (row,) = table("session", "id")
    messages, parts = table("message", "session_id"), table("part", "session_id")
    once = sum(len(str(value)) for rows in (messages[1], parts[1]) for each in rows for value in each)
    rounds = max(1, int(size / once / sessions))
    records = 0

    def insert(name, names, values):
        base.execute("INSERT INTO %s VALUES (%s)" % (name, ",".join("?" * len(names))), values)

    for number in range(sessions):
        mine = session[:-6] + "%06x" % number
        insert("session", columns, [mine if column == "id" else value + str(number) if column == "slug" else value
                                    for column, value in zip(columns, row)])
        for again in range(rounds):
            mark, later = "%06x%06x" % (number, again), again * 100_000_000
            for name, (names, rows) in (("message", messages), ("part", parts)):
                for each in rows:
                    made = dict(zip(names, each))
                    made["id"] += mark
                    made["session_id"] = mine
                    made["time_created"] += later
                    if "message_id" in made:
                        made["message_id"] += mark
                    else:
                        body = json.loads(made["data"])
                        body["time"]["created"] += later
                        if "parentID" in body:
                            body["parentID"] += mark
                        made["data"] = json.dumps(body)
                    insert(name, names, list(made.values()))
                    records += 1
        base.commit()
    base.commit()
    base.close()
    return records
