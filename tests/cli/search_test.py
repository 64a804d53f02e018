# SPDX-License-Identifier: MIT
"""search: all text can be found, in any store, of any size."""
import json
import resource
import subprocess
import unittest

from keyboard import width
from support import SESSIONKIT, ProgramTest


class Search(ProgramTest):
    def test_finds_words_calls_and_results_with_session_and_entry(self):
        file = self.fixture("tool_calls.jsonl")
        for text, kind in (("Find the bug", "user"), ("Looking.", "assistant"), ("src/csv.ts", "assistant"),
                           ("velvet candle", "tool")):
            hits = self.ok("search", text, "--in", file, "--json").json["hits"]
            self.assertEqual(hits[0]["kind"], kind, text)
            self.assertEqual(hits[0]["match"], text)
            self.assertIn(hits[0]["entry"], {row["id"] for row in self.ok("log", file, "--json").json["entries"]})
        self.assertEqual(self.run_cli("search", "meadow", "--in", file, "--role", "user").code, 1)

    def test_looks_into_all_sessions_archived_ones_too_and_stops_at_the_limit(self):
        for i in range(5):
            self.say(self.new("--id", f"s{i}-x"), "user", "a needle here")
        self.say("s3-x", "assistant", "another needle")
        self.ok("archive", "s1-x")
        run = self.ok("search", "needle", "--json")
        self.assertEqual(sorted(hit["session"] for hit in run.json["hits"]), ["s0-x", "s1-x", "s2-x", "s3-x", "s3-x", "s4-x"])
        self.assertEqual((run.json["sessions"], run.json["limited"]), (5, False))
        self.assertEqual(len(self.ok("search", "needle", "-n", "2").out.splitlines()), 2)
        self.assertIn("--limit 0", self.ok("search", "needle", "-n", "2").err)
        self.assertEqual(sorted(self.ok("search", "-l", "needle").out.split()), [f"s{i}-x" for i in range(5)])
        self.assertEqual(self.run_cli("search", "nothing").code, 1)
        self.assertEqual(self.run_cli("search", "nothing").out, "")

    def test_finds_what_was_said_on_a_branch_that_was_left(self):
        session = self.new()
        first = self.say(session, "user", "which river?")
        left = self.say(session, "assistant", "the velvet Rhine")
        self.ok("rewind", session, first)
        self.say(session, "assistant", "the Elbe")
        self.assertEqual([hit["entry"] for hit in self.ok("search", "velvet", "--json").json["hits"]], [left])

    def test_case_folds_beyond_ascii_and_only_when_asked(self):
        session = self.new()
        for text in ("Straße ÄRGER", "ΑΘΗΝΑ", "МОСКВА Ёлка", "ŁÓDŹ"):
            self.say(session, "user", text)
        for text in ("ärger", "αθηνα", "москва ё", "łódź", "STRAßE"):
            self.assertEqual(len(self.ok("search", "-i", text).out.splitlines()), 1, text)
            self.assertEqual(self.run_cli("search", text).code, 1, text)

    def test_a_hit_fits_the_screen_and_names_the_command_that_reads_it(self):
        session = self.new("--title", "Talk")
        entry = self.say(session, "user", f"{'before ' * 20}NEEDLE{' after' * 20}")
        for columns in (40, 80, 200):
            code, shown = self.on_terminal("search", "NEEDLE", env={"NO_COLOR": "1"}, size=(columns, 24))
            self.assertEqual(code, 0)
            hit = next(line for line in shown.splitlines() if line.startswith(f"  {entry}"))
            self.assertIn("NEEDLE", hit)
            self.assertLessEqual(width(hit), columns)
            self.assertIn(f"sessionkit show {session} --leaf {entry}\n", shown)
        self.assertIn("NEEDLE", self.ok("show", session, "--leaf", entry).out)
        self.assertNotIn("sessionkit show", self.ok("search", "NEEDLE").err)  # a program reads it
        self.assertNotIn("sessionkit show", self.on_terminal("search", "NEEDLE", "-q")[1])

    def test_a_snippet_is_one_line_of_whole_characters_around_the_match(self):
        session = self.new()
        self.say(session, "user", "日本語" * 40 + "\n\tNEEDLE\r\n" + "😀" * 60)
        snippet = self.ok("search", "NEEDLE").out.rstrip("\n").split("\t")[3]
        self.assertIn("  NEEDLE", snippet)
        self.assertTrue(snippet.startswith("…") and snippet.endswith("…"))
        self.assertNotIn("\ufffd", snippet)
        self.say(self.new(), "user", "a\x1b]52;c;ZXZpbA==\x07 TARGET \u202e")
        code, shown = self.on_terminal("search", "TARGET", env={"NO_COLOR": "1"})
        self.assertEqual(code, 0)
        for byte in ("\x1b", "\x07", "\u202e"):
            self.assertNotIn(byte, shown)

    def test_damaged_lines_are_reported_and_hide_nothing(self):
        session = self.new()
        self.say(session, "user", "needle one")
        with open(self.file_of(session), "ab") as file:
            file.write(b"damage needle\n")
        self.say(session, "assistant", "needle two")
        run = self.ok("search", "needle")
        self.assertEqual(len(run.out.splitlines()), 2)
        self.assertIn("1 damaged place", run.err)
        self.assertEqual(self.ok("search", "needle", "--json").json["damaged"], 1)

    def test_a_session_that_cannot_be_read_hides_no_other(self):
        self.say(self.new("--id", "good"), "user", "needle")
        self.new("--id", "link")
        self.file_of("link").unlink()
        self.file_of("link").symlink_to(self.folder / "nowhere")
        run = self.run_cli("search", "needle")
        self.assertIn("good", run.out)

    def test_memory_does_not_grow_with_the_session(self):
        file = self.folder / "large.jsonl"
        with open(file, "w", encoding="utf-8") as out:
            print('{"type":"session","version":3,"id":"large","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}', file=out)
            for i in range(12_000):
                print(json.dumps({"type": "message", "id": f"e{i}", "parentId": None if not i else f"e{i - 1}",
                                  "timestamp": "2026-01-01T00:00:00.000Z",
                                  "message": {"role": "user", "content": f"{i} " + "x" * 3000}}), file=out)
        self.assertGreater(file.stat().st_size, 36_000_000)

        def limited():
            resource.setrlimit(resource.RLIMIT_DATA, (24 << 20, 24 << 20))

        if "ASAN_OPTIONS" in self.environment():
            self.skipTest("the address sanitizer reserves more")
        for args in (["search", "11999 ", "--in", file], ["export", file], ["export", file, "--to", "html"],
                     ["export", file, "--to", "jsonl"], ["log", file], ["show", file]):
            done = subprocess.run([SESSIONKIT, *map(str, args)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  env=self.environment(), preexec_fn=limited, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, (args, done.stderr))


if __name__ == "__main__":
    unittest.main()
