# SPDX-License-Identifier: MIT
"""Two programs in one store: 200 random actions of ours and of theirs. After each one both read every session, and both
must see what was said. Theirs is code of their documents: claw0's SessionStore, the lines and the index of ai-panel and
ZyHive, ZeroClaw's SQL in an SQLite shell, in both schemas, and the Go functions with which blades saves a session."""
import json
import random
import shutil
import subprocess
import sys
import time
import unittest
import uuid

from readers import blocks_of, read_panel, read_panel_index, words
from support import DATA, ENVIRONMENT, FormatTest

sys.path.insert(0, str(DATA / "seeds"))
from claw0_session_store import SessionStore  # noqa: E402

ACTIONS = 200
TEXTS = ["hello", "你好, 世界 🦀", 'two\nlines "quoted" \\ back', "it's; -- 'a'", "x" * 3000, "\u007f\u00a0\u3000."]


class Both(FormatTest):
    """One store, changed by both sides. `said` maps each session to its (role, block) list."""

    def begin(self, seed):
        self.random = random.Random(seed)
        self.number = 0
        self.said, self.summaries = {}, {}
        self.counted = {}

    def text(self):
        self.number += 1
        return f"message {self.number}: {self.random.choice(TEXTS)}"

    def summary(self, whose):
        """Shorter than what it replaces."""
        self.number += 1
        return f"{whose} {self.number}"

    def ours(self, *args, **how):
        return self.run_cli(*args, "--store", self.store, **how)

    def append(self, session, role, text):
        self.ours("append", session, "--role", role, "--text", "-", text=text)
        self.said[session].append((role, ("text", text)))

    def we_append(self, session=None):
        session = session or self.some()
        for role in ("user", "assistant"):
            self.append(session, role, self.text())

    def play(self, seed, actions):
        self.begin(seed)
        actions[0]()  # something to act on
        for i in range(ACTIONS):
            action = self.random.choice(actions)
            action()
            self.counted[action.__name__] = self.counted.get(action.__name__, 0) + 1
            with self.subTest(seed=seed, step=i, action=action.__name__):
                self.check()
        self.assertEqual(len(self.counted), len(set(actions)), "every action was played")
        print(f"{type(self).__name__} {self.store}: {ACTIONS} actions, {sum(map(len, self.said.values()))} blocks in "
              f"{len(self.said)} sessions, {self.counted}")

    def read_by_us(self, session):
        request = json.loads(self.ours("history", session, "--provider", "anthropic"))
        said = [(m["role"], block) for m in request["messages"] for block in blocks_of(m["content"])]
        return request["system"], said

    def some(self):
        return self.random.choice(sorted(self.said))


class Claw0(Both):
    """Sessions are known by their keys."""

    def setUp(self):
        super().setUp()
        self.store = self.folder / "claw"

    def theirs(self):
        return SessionStore(self.store / "sessions.json", self.store / "transcripts")

    def new_key(self):
        return f"main:{self.random.choice(['cli', 'telegram', 'web'])}:{len(self.counted) + self.number}-{self.random.randrange(10**6)}"

    def they_create(self):
        key = self.new_key()
        self.theirs().create_session(key)
        self.said[key] = []
        self.they_save(key)

    def we_create(self):
        key = self.new_key()
        self.ours("new", "--key", key, "--profile", "claw0")
        self.said[key] = []
        self.we_append(key)

    def they_save(self, key=None):
        key, ask = key or self.some(), self.text()
        blocks, said = [], [("user", ("text", ask))]
        for i in range(self.random.randrange(3)):
            call = f"tu_{self.number}_{i}"
            result = self.text()
            blocks += [{"type": "tool_use", "id": call, "name": "read_file", "input": {"path": result[:9]}},
                       {"type": "tool_result", "tool_use_id": call, "content": result}]
            said += [("assistant", ("call", call, "read_file", {"path": result[:9]})), ("user", ("result", call, result))]
        answer = self.text()
        self.theirs().save_turn(key, ask, [*blocks, {"type": "text", "text": answer}])
        self.said[key] += [*said, ("assistant", ("text", answer))]

    def we_append(self, key=None):
        key = key or self.some()
        for role in ("user", "assistant"):
            text = self.text()
            self.ours("append", "key:" + key, "--role", role, "--text", "-", text=text)
            self.said[key].append((role, ("text", text)))

    def we_remove(self):
        if len(self.said) < 3:
            return self.we_create()
        key = self.some()
        self.ours("rm", "key:" + key, "--yes")
        return self.said.pop(key) and None

    def they_remove(self):
        """claw0's `/delete`."""
        if len(self.said) < 3:
            return self.they_create()
        key, store = self.some(), self.theirs()
        row = store._index.pop(key)
        store._save_index()
        (store.transcript_dir / row["transcript_file"]).unlink()
        return self.said.pop(key) and None

    def check(self):
        store = self.theirs()
        self.assertEqual(set(store._index), set(self.said))
        for key, said in self.said.items():
            messages = store._rebuild_history(store._index[key]["transcript_file"])
            self.assertEqual(words([(m["role"], blocks_of(m["content"])) for m in messages]), said)
            self.assertEqual(store._index[key]["message_count"], sum(b == ("user", "text") for b in ((r, b[0]) for r, b in said)))
        for key in self.random.sample(sorted(self.said), min(2, len(self.said))):
            self.assertEqual(self.read_by_us("key:" + key)[1], self.said[key])
        self.assertEqual(self.ours("verify").strip(), "")

    def test_200_actions(self):
        self.play(4, [self.we_create, self.they_create, self.they_save, self.they_save, self.we_append, self.we_append,
                      self.we_remove, self.they_remove])


class Panel(Both):
    """ai-panel and ZyHive, whose files have one form."""

    def setUp(self):
        super().setUp()
        self.store = self.folder / "panel"

    def they_write(self, session, *entries):
        """AppendMessage and UpdateMeta of the document: lines, then the index as a whole."""
        with open(self.store / f"{session}.jsonl", "a", encoding="utf-8") as file:
            for entry in entries:
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        index = json.loads((self.store / "sessions.json").read_text(encoding="utf-8"))
        row = index["sessions"][session]
        row["messageCount"] += sum(entry["type"] == "message" for entry in entries)
        row["lastAt"] = entries[-1]["timestamp"]
        self.save(index)

    def save(self, index):
        draft = self.store / "sessions.json.tmp"
        draft.write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")
        draft.rename(self.store / "sessions.json")

    @staticmethod
    def now():
        return int(time.time() * 1000)

    def message(self, session, role, text):
        self.said[session].append((role, ("text", text)))
        content = text if self.random.random() < 0.5 else [{"type": "text", "text": text}]
        return {"type": "message", "message": {"role": role, "content": content}, "timestamp": self.now()}

    def we_create(self):
        session = self.ours("new", "--agent", "main", "--profile", self.profile).strip()
        self.said[session] = []
        self.we_append(session)

    def they_create(self):
        session = f"ses-{self.now() + 10**6 + self.number}"
        header = {"type": "session", "version": 3, "agentId": "main", "createdAt": self.now()}
        (self.store / f"{session}.jsonl").write_text(json.dumps(header) + "\n", encoding="utf-8")
        index = json.loads((self.store / "sessions.json").read_text(encoding="utf-8"))
        index["sessions"][session] = {"id": session, "agentId": "main", "filePath": f"{session}.jsonl", "title": "theirs",
                                      "messageCount": 0, "createdAt": header["createdAt"], "lastAt": header["createdAt"],
                                      "tokenEstimate": 0}
        self.save(index)
        self.said[session] = []
        self.they_append(session)

    def they_append(self, session=None):
        session = session or self.some()
        self.they_write(session, *[self.message(session, role, self.text()) for role in ("user", "assistant")])

    def they_compact(self):
        session = self.some()
        self.summaries[session], self.said[session] = self.summary("theirs"), []
        self.they_write(session, {"type": "compaction", "summary": self.summaries[session], "firstKeptEntryId": "msg-11",
                                  "tokensBefore": 80000, "tokensAfter": 5000, "timestamp": self.now()})
        self.they_append(session)

    def we_compact(self):
        session = self.some()
        if len(self.said[session]) <= 4:
            return self.we_append(session)
        summary = self.summary("ours")
        self.ours("compact", session, "--keep-turns", "2", "--summary", "-", text=summary)
        self.summaries[session], self.said[session] = summary, self.said[session][-4:]
        return None

    def we_rename(self):
        session, title = self.some(), f"title {self.number} \u4f60 \"quoted\" \\"
        self.ours("rename", session, title)
        self.assertEqual(read_panel_index(self.store)[session]["title"], title)

    def we_remove(self):
        if len(self.said) < 3:
            return self.we_create()
        session = self.some()
        self.ours("rm", session, "--yes")
        self.summaries.pop(session, None)
        return self.said.pop(session) and None

    def check(self):
        rows = read_panel_index(self.store)
        self.assertEqual(set(rows), set(self.said))
        for session, said in self.said.items():
            _, summary, read = read_panel(self.store / f"{session}.jsonl")
            self.assertEqual((summary.strip(), words(read)), (self.summaries.get(session, "").strip(), said))
        for session in self.random.sample(sorted(self.said), min(2, len(self.said))):
            system, said = self.read_by_us(session)
            self.assertEqual(said, self.said[session])
            self.assertIn(self.summaries.get(session, "").strip(), system or "")
        self.assertEqual(self.ours("verify").strip(), "")

    def test_200_actions_of_ai_panel_and_of_zyhive(self):
        for seed, self.profile in enumerate(("ai_panel", "zyhive")):
            self.store = self.folder / self.profile
            self.play(seed, [self.we_create, self.they_create, self.we_append, self.they_append, self.we_append, self.they_append,
                             self.they_compact, self.we_compact, self.we_rename, self.we_remove])


class Blades(Both):
    """Theirs loads, changes and saves a whole session. It keeps texts and state, so what it saved has no calls."""

    def setUp(self):
        super().setUp()
        self.assertTrue(shutil.which("go"), "Go is missing: run scripts/install-deps test")
        source = self.folder / "oracle"
        shutil.copytree(DATA / "seeds" / "blades", source)
        program = self.folder / "blades"
        subprocess.run(["go", "build", "-o", program, "."], cwd=source, check=True, timeout=300,
                       env=dict(ENVIRONMENT, HOME=str(self.folder), GOFLAGS="-mod=mod", GOTOOLCHAIN="local", GOPROXY="off"))
        self.documents = self.folder / "sessions"
        self.documents.mkdir()
        self.store = f"blades:{self.documents}"
        self.program = subprocess.Popen([program, self.documents], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.program.wait)
        self.addCleanup(self.program.stdout.close)
        self.addCleanup(self.program.stdin.close)
        self.states = {}

    def theirs(self, *command):
        self.program.stdin.write(json.dumps(command).encode() + b"\n")
        self.program.stdin.flush()
        return json.loads(self.program.stdout.readline())

    def new_id(self):
        return f"s{len(self.said)}-{uuid.UUID(int=self.random.getrandbits(128)).hex[:8]}"

    def begun(self, session):
        self.said[session], self.states[session] = [], {}
        return session

    def they_create(self):
        session = self.begun(self.new_id())
        self.theirs("create", session)
        self.they_append(session)

    def we_create(self):
        session = self.begun(self.new_id())
        self.ours("new", "--id", session)
        self.we_append(session)

    def they_append(self, session=None):
        session = session or self.some()
        for role in ("user", "assistant"):
            text = self.text()
            self.theirs("append", session, role, text)
            self.said[session].append((role, ("text", text)))

    def value(self):
        self.number += 1
        return self.random.choice([self.number, f"value {self.number} \u4f60", [1, {"a": None}], {"n": 0.5}, True])

    def we_set(self):
        session, name, value = self.some(), f"k{self.random.randrange(3)}", self.value()
        self.ours("set", session, f"state.{name}={json.dumps(value)}")
        self.states[session][name] = value

    def we_unset(self):
        session = self.some()
        if not self.states[session]:
            return self.we_set()
        name = self.random.choice(sorted(self.states[session]))
        self.ours("set", session, "--unset", f"state.{name}")
        del self.states[session][name]
        return None

    def they_indent(self):
        path = self.documents / f"{self.some()}.json"
        path.write_text(json.dumps(json.loads(path.read_text()), indent=2, ensure_ascii=False))

    def they_set(self):
        session, name, value = self.some(), f"k{self.random.randrange(3)}", self.value()
        self.theirs("state", session, name, value)
        self.states[session][name] = value

    def remove(self, how):
        if len(self.said) < 3:
            return self.we_create()
        session = self.some()
        how(session)
        del self.said[session], self.states[session]
        return None

    def we_remove(self):
        self.remove(lambda session: self.ours("rm", session, "--yes"))

    def they_remove(self):
        self.remove(lambda session: (self.documents / f"{session}.json").unlink())

    def check(self):
        listed = {row["id"]: row for row in json.loads(self.ours("ls", "--json"))["sessions"]}
        self.assertEqual(set(listed), set(self.said))
        for session, said in self.said.items():
            shown = self.theirs("show", session)
            self.assertEqual((shown["id"], shown["state"]), (session, self.states[session]))
            self.assertEqual([(role, ("text", text)) for role, text in shown["history"]], said)
            self.assertEqual(listed[session]["messages"], len(said))
        for session in self.random.sample(sorted(self.said), min(2, len(self.said))):
            self.assertEqual(self.read_by_us(session)[1], self.said[session])
            state = json.loads(self.ours("info", session, "--json"))["state"]
            self.assertEqual(state, self.states[session])
        self.assertEqual(self.ours("verify").strip(), "")

    def test_200_actions_of_blades(self):
        self.play(5, [self.we_create, self.they_create, self.we_append, self.they_append, self.we_append, self.they_append,
                      self.we_set, self.they_set, self.we_unset, self.they_indent, self.we_remove, self.they_remove])


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

    def we_append(self, key=None):
        key = key or self.some()
        for role in ("user", "assistant"):
            text = self.text()
            self.ours("append", "key:" + key, "--role", role, "--text", "-", text=text)
            self.said[key].append((role, ("text", text)))

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
