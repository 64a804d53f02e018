# SPDX-License-Identifier: MIT
"""Every verb on a store of any engine, and copies between them."""
import re
import signal
import sqlite3
import subprocess
import time
import unittest

from engines import Postgres, Redis, built_with, why_missing
from support import DATA, HERE, PI, SESSIONKIT, ProgramTest

CLEAN = sorted(path for path in PI.glob("*.jsonl") if not path.name.startswith("edge_"))


# The tables of ZeroClaw (schema 7).
ZEROCLAW = """
CREATE TABLE session_index(session_key TEXT PRIMARY KEY, active_session_id TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE sessions(session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'active',
  title TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE session_messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
  content TEXT NOT NULL, created_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE session_state(session_id TEXT NOT NULL, key TEXT NOT NULL, value_json TEXT NOT NULL,
  updated_at TEXT NOT NULL, PRIMARY KEY(session_id, key));
PRAGMA user_version = 7;
INSERT INTO sessions VALUES('a', 'k', 'active', NULL, '2025-11-04T08:00:00Z', '2025-11-04T08:00:01Z', NULL);
INSERT INTO session_messages(session_id, role, content, created_at)
  VALUES('a', 'user', 'hello', '2025-11-04T08:00:01Z');
"""


class Engines(ProgramTest):
    def test_a_missing_engine_is_named_with_the_fix(self):
        for url in ("nosuch://host", "mongodb://host/db", "sqllite:sessions.db"):
            run = self.fails(2, "ls", "--store", url)
            self.assertIn(url.split(":")[0], run.err)
            self.assertIn("hint: name a directory", run.err)
        run = self.fails(2, "ls", "--json", "--store", "nosuch://host")
        self.assertIn('"unsupported_store"', run.err)

    def test_a_password_in_a_url_is_not_repeated(self):
        for url in ("redis://user:hunter2@127.0.0.1:1/0", "postgres://user:hunter2@127.0.0.1:1/db",
                    "postgres://127.0.0.1:1/db?password=hunter2&connect_timeout=1",
                    "redis://hunter2@127.0.0.1:1", "redis://:hunter2/hunter2?@127.0.0.1:1",
                    "postgres://user:pa@hunter2@127.0.0.1:1/db", "postgres://user:p/hunter2@127.0.0.1:1/db",
                    "postgres://127.0.0.1:1/db?sslpassword=hunter2&password=hunter2"):
            run = self.run_cli("ls", "--json", "--store", url, "--timeout", "100ms")
            self.assertNotEqual(run.code, 0, run)
            self.assertNotIn("hunter2", run.out + run.err)

    def test_a_place_must_be_named_where_there_is_one(self):
        for url in ("file:", "file://", "memory:somewhere"):
            self.fails(2, "ls", "--store", url)

    def test_memory_is_empty_each_time(self):
        self.ok("new", "--store", "memory:")
        self.assertEqual(self.ok("ls", "--store", "memory:").out, "")

    def test_file_urls_are_directories(self):
        session = self.new()
        for url in (f"file:{self.store}", f"file://{self.store}"):
            run = self.ok("ls", "--store", url, "--json")
            self.assertEqual([row["id"] for row in run.json["sessions"]], [session])
            self.assertEqual(run.json["store"], str(self.store))


class Copies(ProgramTest):
    def setUp(self):
        super().setUp()
        self.copies = self.folder / "copies"

    def results(self, *args, code=0):
        run = self.run_cli("cp", *args, "--json")
        self.assertEqual(run.code, code, run)
        self.assertEqual(run.json["schema"], "sessionkit/cp@1")
        return [(row["result"], row["lines"], row["written"]) for row in run.json["sessions"]]

    def test_a_file_becomes_a_session_with_the_same_bytes(self):
        for path in CLEAN:
            run = self.ok("cp", path, self.copies)
            session, result, lines, written = run.out.rstrip("\n").split("\t")
            self.assertEqual((result, lines), ("copied", written), path)
            self.assertEqual((self.copies / f"{session}.jsonl").read_bytes(), path.read_bytes(), path)

    def test_its_document_is_as_promised(self):
        self.fixture("simple_chat.jsonl")
        run = self.ok("cp", "simple_chat.jsonl", "copies", "--json")
        self.assertEqual(run.out, (HERE / "golden/cp_simple_chat.json").read_text())

    def test_it_copies_one_session_several_or_all(self):
        for name in ("one", "two", "three"):
            self.say(self.new("--id", name, "--key", f"key-{name}"), "user", name)
        self.assertEqual(len(self.results(self.store, self.copies, "one")), 1)
        self.assertEqual(len(self.results(self.store, self.copies, "key:key-two", "two", "@last")), 2)
        self.assertEqual(sorted(self.results(self.store, self.copies)), [("same", 2, 0)] * 3)
        run = self.ok("ls", "--store", self.copies, "--key", "key-two", "--json")
        self.assertEqual([row["id"] for row in run.json["sessions"]], ["two"])
        run = self.fails(3, "cp", self.store, self.copies, "nobody")
        self.assertIn("nobody", run.err)

    def test_again_it_completes_and_doubles_nothing(self):
        session = self.new()
        self.say(session, "user", "a")
        self.assertEqual(self.results(self.store, self.copies), [("copied", 2, 2)])
        self.assertEqual(self.results(self.store, self.copies), [("same", 2, 0)])
        self.say(session, "assistant", "b")
        self.assertEqual(self.results(self.store, self.copies), [("completed", 3, 1)])
        copy = self.copies / f"{session}.jsonl"
        self.assertEqual(copy.read_bytes(), self.file_of(session).read_bytes())

    def test_a_continued_copy_stays_and_another_session_is_a_conflict(self):
        session = self.new()
        self.ok("cp", self.store, self.copies)
        self.ok("append", session, "--store", self.copies, "--role", "user", "--text", "there")
        copy = self.copies / f"{session}.jsonl"
        before = copy.read_bytes()
        self.assertEqual(self.results(self.store, self.copies), [("ahead", 1, 0)])
        self.say(session, "user", "here")
        self.new("--id", "another")
        self.assertEqual(sorted(self.results(self.store, self.copies, code=4)),
                         [("copied", 1, 1), ("different", 1, 0)])
        self.assertEqual(copy.read_bytes(), before)

    def test_a_dry_run_prints_its_plan_and_writes_nothing(self):
        session = self.new()
        self.assertEqual(self.results(self.store, self.copies, "--dry-run"), [("missing", 0, 0)])
        self.assertFalse(self.copies.exists())
        self.ok("cp", self.store, self.copies)
        self.say(session, "user", "a")
        self.assertEqual(self.results(self.store, self.copies, "--dry-run"), [("behind", 1, 0)])
        self.assertEqual(self.results(self.store, self.copies), [("completed", 2, 1)])

    def test_bytes_that_are_not_a_line_are_left_out_and_reported(self):
        run = self.run_cli("cp", PI / "edge_malformed_middle.jsonl", self.copies)
        self.assertEqual(run.code, 5, run)
        self.assertIn("damaged place(s) are not copied", run.err)
        self.assertIn("copied\t", run.out)
        verdict = self.run_cli("verify", "--store", self.copies, "--json").json
        self.assertEqual([finding["kind"] for finding in verdict["findings"]], ["missing_parent"])

    def test_a_file_without_a_session_is_not_copied(self):
        (self.folder / "alien.jsonl").write_text('{"kind":"message","text":"hi"}\n')
        run = self.fails(5, "cp", self.folder / "alien.jsonl", self.folder / "target")
        self.assertIn("contains no session", run.err)
        self.assertFalse((self.folder / "target").exists())

    def test_a_source_that_is_not_there_makes_no_target(self):
        self.fails(3, "cp", self.folder / "none", self.copies)
        self.assertFalse(self.copies.exists())


class Database:
    """The behaviour of every engine; `self.url` names an empty store."""

    also_for_files = [["reindex"]]

    def test_reading_a_database_equals_reading_files(self):
        for path in CLEAN + sorted((DATA / "flat").glob("05*/transcript.jsonl")):
            self.ok("cp", path, self.store)
        self.ok("cp", self.store, self.url)
        sessions = [row["id"] for row in self.ok("ls", "-n", "0", "--json").json["sessions"]]
        self.assertGreaterEqual(len(sessions), 12)
        verbs = [["ls", "-n", "0"], ["ls", "-n", "2"], ["stats"]]
        for session in sessions:
            verbs += [["show", session, "--json"], ["history", session], ["context", session], ["tree", session],
                      ["tail", session], ["stats", session], ["diff", session, session],
                      ["convert", session, "--to", "native", "-o", "-"]]
        places = {}
        for args in verbs:
            of_files, of_rows = self.run_cli(*args), self.run_cli(*args, "--store", self.url)
            self.assertEqual(of_rows.code, of_files.code, (args, of_rows, of_files))
            if not re.search(r"(?<!\w)@\d+\b", of_files.out):  # an entry without an id is identified by its place
                self.assertEqual(of_rows.out, of_files.out, args)
                places[args[0]] = places.get(args[0], 0) + 1
        self.assertGreaterEqual(min(places[verb] for verb in ("show", "history", "tree", "tail", "convert")), 10)

    def test_every_fixture_goes_through_a_database_and_back_byte_for_byte(self):
        for path in CLEAN:
            self.ok("cp", path, self.url)
        self.ok("cp", self.url, self.store)
        self.assertEqual(sorted(copy.read_bytes() for copy in self.store.glob("*.jsonl")),
                         sorted(path.read_bytes() for path in CLEAN))

    def test_a_conversation_is_begun_gone_on_with_and_removed_in_a_database(self):
        env = {"SESSIONKIT_STORE": self.url}
        session = self.ok("new", "--key", "k", "--title", "T", env=env).out.strip()
        for role, text in (("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d")):
            self.ok("append", "key:k", "--role", role, "--text", text, env=env)
        run = self.fails(4, "append", "@last", "--role", "user", "--text", "x", "--entry-id",
                         self.ok("show", session, "--json", env=env).json["entries"][1]["id"], env=env)
        self.assertIn("another id", run.err)
        self.ok("compact", session, "--keep-turns", "1", "--summary", "S", env=env)
        self.assertIn("S", self.ok("history", session, env=env).out)
        copy = self.ok("fork", session, env=env).out.strip()
        self.assertEqual(len(self.ok("ls", env=env).out.splitlines()), 2)
        self.ok("verify", env=env)
        self.assertEqual(self.ok("ls", "--json", env=env).json["store"].split(":")[0], self.url.split(":")[0])
        run = self.fails(2, "rm", copy, env=env)
        self.assertIn("permanently", run.err)
        self.ok("rm", copy, "--yes", env=env)
        self.fails(3, "show", copy, env=env)
        self.assertEqual(self.ok("prune", "--most", "9", "--idle", "1d", "--yes", env=env).out, "")

    def test_verbs_for_files_say_so(self):
        session = self.ok("new", "--store", self.url).out.strip()
        for args in (["doctor"], ["doctor", session], *self.also_for_files, ["prune", "--most-bytes", "9", "--yes"]):
            run = self.fails(2, *args, "--store", self.url)
            self.assertIn("works on stores of files", run.err)
            self.assertIn("hint: ", run.err)

    def test_tail_follows_a_database(self):
        session = self.ok("new", "--store", self.url).out.strip()
        command = [SESSIONKIT, "tail", "-f", "-n", "0", session, "--store", self.url]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=self.environment(), cwd=self.folder) as tail:
            time.sleep(0.3)
            self.ok("append", session, "--role", "user", "--text", "news", "--store", self.url)
            self.assertEqual(tail.stdout.readline(), b"user> news\n")
            tail.send_signal(signal.SIGINT)
            self.assertEqual(tail.wait(timeout=30), 130)

    def test_a_copy_that_is_killed_is_completed_by_the_next(self):
        big = self.folder / "big.jsonl"
        header, *entries = (PI / "simple_chat.jsonl").read_bytes().splitlines(keepends=True)
        with open(big, "wb") as file:
            file.write(header)
            for i in range(20000):
                parent = f'"e{i - 1}"' if i else "null"
                file.write(b'{"type":"message","id":"e%d","parentId":%b,"timestamp":"2026-01-01T00:00:00.000Z",'
                           b'"message":{"role":"user","content":"%b"}}\n' % (i, parent.encode(), b"x" * 200))
        self.assertTrue(entries)
        for milliseconds in (20, 60, 120, 250):
            with subprocess.Popen([SESSIONKIT, "cp", str(big), self.url], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, env=self.environment(), cwd=self.folder) as copying:
                time.sleep(milliseconds / 1000)
                copying.kill()
        run = self.ok("cp", big, self.url, "--json")
        self.assertEqual(run.json["sessions"][0]["lines"], 20001)
        self.ok("cp", self.url, self.store)
        self.assertEqual(next(self.store.glob("*.jsonl")).read_bytes(), big.read_bytes())


@unittest.skipUnless(built_with("sqlite:/none/x.db"), "this program was built without SQLite")
class Sqlite(Database, ProgramTest):
    def setUp(self):
        super().setUp()
        self.url = f"sqlite:{self.folder}/db/sessions.db"

    def test_a_database_named_as_a_directory_gets_its_url_as_a_hint(self):
        self.ok("new", "--store", self.url)
        path = self.url.split(":", 1)[1]
        for args in (["ls", "--store", path], ["cp", path, self.store], ["cp", self.store, path]):
            self.store.mkdir(exist_ok=True)
            self.assertIn(f"sqlite:{path}", self.fails(2, *args).err)
        self.fails(3, "ls", "--store", "sqlite:" + str(self.folder / "none.db"))

    def test_a_dry_run_leaves_another_programs_database_as_it_is(self):
        theirs = self.folder / "zeroclaw.db"
        with sqlite3.connect(theirs) as database:
            database.executescript(ZEROCLAW)
        database.close()
        before, folder = theirs.read_bytes(), sorted(self.folder.iterdir())
        url, copies = f"sqlite:{theirs}", self.folder / "copies"
        for args in ((url, copies), (PI / "simple_chat.jsonl", url)):
            run = self.fails(2, "cp", "--dry-run", *args)
            self.assertIn("adopt it, which adds them and keeps a copy", run.err)
            self.assertEqual(theirs.read_bytes(), before)
            self.assertEqual(sorted(self.folder.iterdir()), folder)
        run = self.ok("cp", url, copies)
        self.assertEqual(run.out, "a\tcopied\t2\t2\n")
        self.assertIn(f"{theirs}.before-sessionkit", run.err)
        self.assertIn("hello", self.ok("history", "a", "--store", copies).out)
        adopted = theirs.read_bytes()
        self.assertNotEqual(adopted, before)
        run = self.ok("cp", "--dry-run", url, copies)  # it is ours as well now
        self.assertEqual(run.out, "a\tsame\t2\t0\n")
        self.assertEqual(theirs.read_bytes(), adopted)


class Served(Database):
    """A server for the class; it is empty at the start of each test."""

    server_class = None

    @classmethod
    def setUpClass(cls):
        if missing := why_missing(cls.server_class, cls.scheme):
            raise unittest.SkipTest(missing)
        cls.server = cls.server_class()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        super().setUp()
        self.url = self.server.url
        self.ok("new", "--store", self.url)  # makes the tables
        for row in self.ok("ls", "-n", "0", "--json", "--store", self.url).json["sessions"]:
            self.ok("rm", row["id"], "--yes", "--store", self.url)


class OnRedis(Served, ProgramTest):
    scheme, server_class = "redis", Redis
    also_for_files = []  # its lists are rebuilt from its logs too


class OnPostgres(Served, ProgramTest):
    scheme, server_class = "postgres", Postgres


if __name__ == "__main__":
    unittest.main()
