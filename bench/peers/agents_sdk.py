# SPDX-License-Identifier: MIT
"""The operations of run.py with the SQLiteSession of the OpenAI Agents SDK. As it comes it flushes each append
(synchronous = FULL); `append` sets NORMAL. The SDK has no list of sessions, so `list` is a query by hand."""
import asyncio
import json
import os
import sqlite3
import time

from agents.memory.sqlite_session import SQLiteSession

import peer


class Unflushed(SQLiteSession):
    @staticmethod
    def _configure_connection(conn):
        SQLiteSession._configure_connection(conn)
        conn.execute("PRAGMA synchronous=NORMAL")


def message(number, text):
    return {"role": peer.role(number), "content": text}


def append_to(kind, target, count, text):
    session = kind(peer.SESSION, os.path.join(target, "agents.db"))

    async def all_of_them():
        await session.add_items([message(0, text)])
        begin = time.perf_counter()
        for _ in range(count):
            await session.add_items([message(0, text)])
        return begin

    return asyncio.run(all_of_them()), count


def append(target, count, size, text):
    return append_to(Unflushed, target, count, text)


def append_durable(target, count, size, text):
    return append_to(SQLiteSession, target, count, text)


def history(target, count, size, text):
    begin = time.perf_counter()
    items = asyncio.run(SQLiteSession(peer.SESSION, target).get_items(limit=count or None))
    return begin, len(json.dumps(items, ensure_ascii=False))


def following(target, count, size, text):
    session = Unflushed(peer.SESSION, target)

    async def turn():
        json.dumps(await session.get_items())
        await session.add_items([message(0, text)])
        begin = time.perf_counter()
        return begin, len(json.dumps(await session.get_items(), ensure_ascii=False))

    return asyncio.run(turn())


def make_history(target, count, size, text):
    begin = time.perf_counter()
    items = [message(number, text) for number in range(count)]
    asyncio.run(Unflushed(peer.SESSION, target).add_items(items))
    return begin, count


def make_list(target, count, size, text):
    begin = time.perf_counter()
    make_history(target, 1, 0, text)
    base = sqlite3.connect(target)
    data = json.dumps(message(0, text))
    for number in range(count):
        name = "session-%d" % number
        base.execute("INSERT INTO agent_sessions(session_id, updated_at) VALUES(?, datetime(?, 'unixepoch'))",
                     (name, 1767600000 + number))
        base.executemany("INSERT INTO agent_messages(session_id, message_data) VALUES(?, ?)", [(name, data)] * size)
    base.execute("DELETE FROM agent_messages WHERE session_id = ?", (peer.SESSION,))
    base.execute("DELETE FROM agent_sessions WHERE session_id = ?", (peer.SESSION,))
    base.commit()
    base.close()
    return begin, count


def rows(target, count, size, text):
    begin = time.perf_counter()
    base = sqlite3.connect(target)
    found = base.execute("SELECT session_id, updated_at FROM agent_sessions ORDER BY updated_at DESC LIMIT ?",
                         (count or -1,)).fetchall()
    return begin, len(found)


peer.run({"append": append, "append_durable": append_durable, "history": history, "next": following,
          "make_history": make_history, "make_list": make_list, "list": rows})
