# SPDX-License-Identifier: MIT
"""doctor says what is wrong, changes nothing unless asked, and keeps what it replaces."""
import json
import os
import shutil
import unittest

from support import PI, ProgramTest


class Doctor(ProgramTest):
    def snapshot(self):
        return {str(p): (p.stat().st_mtime_ns, p.read_bytes() if p.is_file() else b"")
                for p in self.store.rglob("*")}

    def sound_store(self):
        for name in ("talk-one", "talk-two"):
            self.say(self.new("--id", name), "user", "hello")

    def copies(self):
        return sorted((self.store / "quarantine").iterdir())

    def test_a_sound_store_is_ok(self):
        self.sound_store()
        before = self.snapshot()
        run = self.ok("doctor")
        self.assertEqual((run.out, run.err), ("", "sessionkit: 0 finding(s) in 2 transcript(s)\n"))
        self.ok("doctor", "--repair")
        self.assertEqual(self.snapshot(), before)
        self.fails(3, "doctor", self.folder / "none.jsonl")
        self.fails(3, "doctor", "--store", self.folder / "none")

    def test_it_is_a_dry_run_unless_repair_is_asked_for(self):
        self.sound_store()
        (self.store / "sessions.json").write_text("{torn")
        (self.store / ".sessions.json.0123456789abcdef").write_text("half")
        before = self.snapshot()
        run = self.run_cli("doctor")
        self.assertEqual(run.code, 5)
        rows = [row.split("\t") for row in run.out.splitlines()]
        self.assertEqual([row[:2] for row in rows], [["damage", "index_unreadable"], ["notice", "left_over"]])
        self.assertTrue(all(row[-1].startswith("would ") for row in rows), rows)
        self.assertIn("nothing was changed", run.err)
        self.assertEqual(self.snapshot(), before)

        run = self.ok("doctor", "--repair", "--json")
        self.assertEqual({row["left"] for row in run.json["findings"]}, {False})
        self.assertEqual(sorted(p.read_text() for p in self.copies()), ["half", "{torn"])
        self.assertEqual(len(json.loads((self.store / "sessions.json").read_text())["sessions"]), 2)
        self.ok("doctor")

    def test_a_damaged_transcript_of_a_store_is_rewritten_only_when_asked_for(self):
        self.sound_store()
        path = self.file_of("talk-one")
        good = path.read_bytes()
        bad = good + b"\0" * 100 + b"\n" + b"garbage\n"
        path.write_bytes(bad)
        for arguments in (["doctor"], ["doctor", "--repair"]):
            run = self.run_cli(*arguments)
            self.assertEqual(run.code, 5, run)
            self.assertEqual(path.read_bytes(), bad)
        self.assertIn("doctor FILE --repair", run.out)
        self.assertFalse((self.store / "quarantine").exists())
        self.ok("doctor", "--repair", "--transcripts")
        self.assertEqual(path.read_bytes(), good)
        self.assertEqual([p.read_bytes() for p in self.copies()], [bad])
        self.assertEqual(os.stat(self.copies()[0]).st_mode & 0o777, 0o600)
        self.ok("doctor")
        self.ok("verify")

    def test_a_file_of_pi_is_repaired_in_place_and_gives_the_same_history(self):
        for name, code, left in (("edge_malformed_middle.jsonl", 5, ["missing_parent"]), ("edge_torn_tail.jsonl", 0, [])):
            path = self.fixture(name)
            before, bytes_before = self.ok("history", path).out, path.read_bytes()
            self.assertEqual(self.run_cli("doctor", path).code, 5)
            self.assertEqual(path.read_bytes(), bytes_before)
            run = self.run_cli("doctor", path, "--repair", "--json")
            self.assertEqual(run.code, code, run)
            self.assertEqual([row["damage"] for row in run.json["findings"] if row["left"]], left)
            copy = run.json["findings"][0]["copy"]
            self.assertEqual(open(self.folder / copy, "rb").read(), bytes_before)
            self.assertEqual(self.ok("history", path).out, before)
            self.assertEqual(self.run_cli("verify", path).code, code)

    def test_unrepairable_damage_is_left_and_exits_with_5(self):
        self.sound_store()
        os.symlink("talk-one.jsonl", self.store / "talk-three.jsonl")
        run = self.run_cli("doctor", "--repair")
        self.assertEqual(run.code, 5, run)
        self.assertIn("left to you", run.out)

    def test_a_store_of_pi_with_modes_for_others_is_no_damage(self):
        self.store.mkdir(mode=0o755)
        for name in ("simple_chat.jsonl", "tool_calls.jsonl"):
            shutil.copyfile(PI / name, self.store / name)
            os.chmod(self.store / name, 0o644)
        run = self.run_cli("doctor")
        self.assertEqual(run.code, 5)  # no index yet
        self.ok("doctor", "--repair")
        self.assertEqual({os.stat(p).st_mode & 0o077 for p in self.store.rglob("*")}, {0})

    def test_reindex_shows_how_far_it_is_on_a_terminal_only(self):
        self.sound_store()
        self.assertEqual(self.ok("reindex").err, "")


if __name__ == "__main__":
    unittest.main()
