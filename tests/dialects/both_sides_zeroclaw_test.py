# SPDX-License-Identifier: MIT
"""ZeroClaw and we in one database: its SQL in an SQLite shell, in both schemas."""
import json
import shutil
import subprocess
import time
import unittest
import uuid

from both_sides import Both

SCHEMAS = {
    7: """CREATE TABLE session_index(session_key TEXT PRIMARY KEY, active_session_id TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE sessions(session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'active',
  title TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE session_messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
  content TEXT NOT NULL, created_at TEXT NOT NULL, meta_json TEXT);
CREATE INDEX idx_messages ON session_messages(session_id, id);
CREATE TABLE session_state(session_id TEXT NOT NULL, key TEXT NOT NULL, value_json TEXT NOT NULL, updated_at TEXT NOT NULL,
  PRIMARY KEY(session_id, key));
PRAGMA user_version = 7;""",
    12: """CREATE TABLE agents(agent_id TEXT PRIMARY KEY, name TEXT);
INSERT INTO agents VALUES('main', 'Main');
CREATE TABLE sessions(session_id TEXT PRIMARY KEY, inbound_key TEXT NOT NULL, agent_id TEXT NOT NULL REFERENCES agents(agent_id),
  outbound_key TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'active', title TEXT, created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE session_messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(session_id)
  ON DELETE CASCADE, role TEXT NOT NULL, content TEXT NOT NULL, created_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE session_state(session_id TEXT NOT NULL REFERENCES sessions(session_id) ON DELETE CASCADE, key TEXT NOT NULL,
  value_json TEXT NOT NULL, updated_at TEXT NOT NULL, PRIMARY KEY(session_id, key));
PRAGMA user_version = 12;""",
}
SUMMARY = "[Session Compaction Summary]\n"


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


@unittest.skipUnless(shutil.which("sqlite3"), "there is no sqlite3 shell")
class ZeroClaw(Both):
    """Sessions are known by their keys: the active one of a key answers."""
    NAMED_BY = "key:"

    def shell_text(self, sql):
        """What ZeroClaw's statements print, in a process of their own."""
        done = subprocess.run(["sqlite3", "-bail", "-json", "-cmd", ".timeout 5000", str(self.file)], input=sql, text=True,
                              capture_output=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), sql)
        return done.stdout

    def shell(self, sql):
        out = self.shell_text(sql)
        return json.loads(out) if out.strip() else []

    def shell_all(self, statements):
        """The rows of each statement, all from one process: three processes for each key would take minutes."""
        statements = list(statements)
        out = self.shell_text("".join(f"{statement}SELECT 'statement' AS [end];" for statement in statements)).lstrip()
        results = [[]]
        while out:
            rows, length = json.JSONDecoder().raw_decode(out)
            if rows == [{"end": "statement"}]:
                results.append([])
            else:
                results[-1] = rows
            out = out[length:].lstrip()
        self.assertEqual((len(results), results[-1]), (len(statements) + 1, []))
        return results[:-1]

    def now(self):
        self.tick += 1
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + f".{self.tick:06d}Z"

    def select_active(self, key):
        """`get_or_create_active`: schema 7 asks session_index, schema 12 takes the newest active one."""
        if self.schema == 7:
            return f"SELECT active_session_id AS id FROM session_index WHERE session_key = {quoted(key)};"
        return (f"SELECT session_id AS id FROM sessions WHERE inbound_key = {quoted(key)} AND status = 'active' "
                "ORDER BY created_at DESC, rowid DESC LIMIT 1;")

    def active(self, key):
        rows = self.shell(self.select_active(key))
        return rows[0]["id"] if rows else None

    def they_create(self, key=None):
        """A new conversation of a new key, or `/new` of a known one."""
        key = key or (self.some() if self.said and self.random.random() < 0.3 else f"direct:telegram:{self.number}")
        session, at = str(uuid.UUID(int=self.random.getrandbits(128), version=4)), self.now()
        column = "session_key" if self.schema == 7 else "inbound_key"
        more = ("", "") if self.schema == 7 else (", agent_id, outbound_key", ", 'main', 'out'")
        sql = (f"UPDATE sessions SET status = 'inactive' WHERE {column} = {quoted(key)};"
               f"INSERT INTO sessions(session_id, {column}, created_at, updated_at{more[0]}) "
               f"VALUES('{session}', {quoted(key)}, '{at}', '{at}'{more[1]});")
        if self.schema == 7:
            sql += f"INSERT OR REPLACE INTO session_index VALUES({quoted(key)}, '{session}', '{at}');"
        self.shell(sql)
        self.said[key] = []
        self.summaries.pop(key, None)
        self.they_append(key)

    def we_create(self):
        key = self.some() if self.random.random() < 0.3 else f"group:slack:{self.number}"
        self.ours("new", "--key", key)
        self.said[key] = []
        self.summaries.pop(key, None)
        self.we_append(key)

    def rows(self, session, *pairs):
        return "".join(f"INSERT INTO session_messages(session_id, role, content, created_at, meta_json) VALUES('{session}', "
                       f"'{role}', {quoted(text)}, '{self.now()}', NULL);" for role, text in pairs)

    def they_append(self, key=None):
        key = key or self.some()
        session, pair = self.active(key), [(role, self.text()) for role in ("user", "assistant")]
        self.shell(self.rows(session, *pair) + f"UPDATE sessions SET updated_at = '{self.now()}' WHERE session_id = '{session}';")
        self.said[key] += [(role, ("text", text)) for role, text in pair]

    def they_compact(self):
        """Within a turn: the boundary is the last stored row, the summary comes before the pair that is not stored yet."""
        key = self.some()
        session, summary = self.active(key), self.summary("theirs")
        self.shell(f"INSERT OR REPLACE INTO session_state VALUES('{session}', 'compaction_after_message_id', "
                   f"(SELECT max(id) FROM session_messages WHERE session_id = '{session}'), '{self.now()}');"
                   + self.rows(session, ("assistant", SUMMARY + summary)))
        self.said[key], self.summaries[key] = [], summary
        self.they_append(key)

    def we_compact(self):
        key = self.some()  # its rows may all be ZeroClaw's: nothing is kept, so no row needs an id
        if len(self.said[key]) <= 4:
            return
        summary = self.summary("ours")
        self.ours("compact", "key:" + key, "--profile", "zeroclaw", "--summary", "-", text=summary)
        self.said[key], self.summaries[key] = [], summary

    def tails(self, keys):
        """`load_compaction_state` and `load_messages_after_id`, for each key."""
        sessions = [rows[0]["id"] for rows in self.shell_all(map(self.select_active, keys))]
        states = self.shell_all(f"SELECT value_json FROM session_state WHERE session_id = '{session}' "
                                "AND key = 'compaction_after_message_id';" for session in sessions)
        after = [json.loads(str(state[0]["value_json"])) if state else 0 for state in states]
        return self.shell_all(f"SELECT role, content FROM session_messages WHERE session_id = '{session}' AND id > {boundary} "
                              "ORDER BY id ASC;" for session, boundary in zip(sessions, after))

    def read_by_them(self, tail):
        """`normalize_tail_messages` joins neighbours of one role: a summary after an answer would become a part of it."""
        for before, row in zip(tail, tail[1:]):
            self.assertNotEqual(before["role"], row["role"], row["content"][:80])
        said = [(row["role"], ("text", row["content"])) for row in tail if not row["content"].startswith(SUMMARY)]
        summaries = [row["content"][len(SUMMARY):] for row in tail if row["content"].startswith(SUMMARY)]
        return summaries, said

    def check(self):
        for (key, said), tail in zip(self.said.items(), self.tails(list(self.said))):
            summary = [self.summaries[key].strip()] if key in self.summaries else []
            summaries, read = self.read_by_them(tail)
            self.assertEqual(([each.strip() for each in summaries], read), (summary, said))
        for key in self.random.sample(sorted(self.said), min(2, len(self.said))):
            system, said = self.read_by_us("key:" + key)
            first = ("user", ("text", "[earlier conversation summarised]"))  # where nothing was said after a summary
            self.assertEqual(said, self.said[key] or [first])
            self.assertIn(self.summaries.get(key, "").strip(), system or "")
        self.assertEqual(self.shell("PRAGMA integrity_check;"), [{"integrity_check": "ok"}])

    def test_200_actions_in_both_schemas(self):
        for self.schema, sql in SCHEMAS.items():
            self.file = self.folder / f"schema-{self.schema}.db"
            self.store = f"sqlite:{self.file}"
            self.tick = 0
            self.shell(sql)
            if "built without" in self.run_cli("ls", "--store", self.store, or_code=2) + self.errors:
                self.skipTest("built without SQLite")
            self.play(self.schema, [self.they_create, self.we_create, self.we_append, self.they_append, self.we_append,
                                    self.they_append, self.they_compact, self.we_compact])


if __name__ == "__main__":
    unittest.main()
