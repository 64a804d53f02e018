# SPDX-License-Identifier: MIT
"""A person's screen: pagers, narrow terminals, wide characters, colours, progress."""
import unittest

from keyboard import width
from support import PI, ProgramTest


class Pager(ProgramTest):
    def pager(self, body):
        path = self.folder / "pager"
        path.write_text("#!/bin/sh\n" + body)
        path.chmod(0o755)
        return {"PAGER": str(path), "NO_COLOR": "1"}

    def long_talk(self, lines=200):
        session = self.new()
        self.say(session, "user", "\n".join(f"line {i}" for i in range(lines)))
        return session

    def test_the_pager_shows_output_longer_than_the_screen(self):
        session = self.long_talk()
        env = self.pager('echo "paged $LESS"; cat; echo "end"\n')
        code, shown = self.on_terminal("show", session, env=env, size=(80, 24))
        lines = shown.splitlines()
        self.assertEqual((code, lines[0], lines[-1]), (0, "paged FRX", "end"))
        self.assertEqual(lines[2:-1], [f"line {i}" for i in range(200)])

    def test_output_that_fits_the_screen_needs_no_pager(self):
        session = self.long_talk(10)
        env = self.pager("echo paged; cat\n")
        self.assertNotIn("paged", self.on_terminal("show", session, env=env, size=(80, 24))[1])
        self.assertNotIn("paged", self.on_terminal("show", self.long_talk(), "--no-pager", env=env, size=(80, 24))[1])
        self.assertNotIn("paged", self.ok("show", self.long_talk(), env=env).out)
        self.assertNotIn("paged", self.on_terminal("show", self.long_talk(), env={**env, "SESSIONKIT_PAGER": ""}, size=(80, 24))[1])

    def test_a_pager_that_is_left_early_is_no_failure(self):
        session = self.long_talk(100_000)
        code, shown = self.on_terminal("show", session, env=self.pager("head -n 2\n"), size=(80, 24))
        self.assertEqual((code, len(shown.splitlines())), (0, 2))

    def test_a_pager_that_is_not_there_hides_nothing(self):
        session = self.long_talk()
        for pager in ("no-such-pager -x", "/no/such"):
            code, shown = self.on_terminal("show", session, env={"PAGER": pager, "NO_COLOR": "1"}, size=(80, 24))
            self.assertEqual((code, shown.splitlines()[1:]), (0, [f"line {i}" for i in range(200)]))

    def test_notices_come_when_the_pager_is_done(self):
        session = self.long_talk()
        with open(self.file_of(session), "ab") as file:
            file.write(b"damage\n")
        shown = self.on_terminal("show", session, env=self.pager('cat; echo "end"\n'), size=(80, 24))[1].splitlines()
        self.assertEqual(shown[-2], "end")
        self.assertIn("1 damaged place(s)", shown[-1])

    def test_exit_codes_are_those_without_a_pager(self):
        file = self.folder / "bad.jsonl"
        file.write_text((PI / "simple_chat.jsonl").read_text() + "bad\n" * 60)
        self.assertEqual(self.on_terminal("verify", file, env=self.pager("cat\n"), size=(80, 24))[0], 5)


class Narrow(ProgramTest):
    def test_tables_are_no_wider_than_the_screen(self):
        self.new("--id", "aaaaaaaa-1", "--title", "会议记录 " * 12, "--key", "k")
        self.new("--id", "bbbbbbbb-2", "--title", "😀 emoji 👩‍👩‍👧 family " * 6)
        self.new("--id", "cccccccc-3", "--title", "e\u0301" * 60)
        entry = self.say("aaaaaaaa-1", "user", "日本語 " * 50)
        self.ok("label", "aaaaaaaa-1", entry, "会议记录 checkpoint")
        for _ in range(3):  # branches are indented
            self.ok("rewind", "aaaaaaaa-1", entry)
            self.say("aaaaaaaa-1", "user", "words " * 30)
        for columns in (20, 40, 80, 120):
            for args in (["ls"], ["log", "aaaaaaaa-1"], ["info", "aaaaaaaa-1"], ["stats"], ["diff", "aaaaaaaa-1", "bbbbbbbb-2"],
                         ["tree", "aaaaaaaa-1"], ["tree", PI / "branches_labels.jsonl"], ["prune", "--most", "1", "--dry-run"],
                         ["search", "-l", "words"]):
                _, shown = self.on_terminal(*args, env={"NO_COLOR": "1"}, size=(columns, 50))
                for line in shown.splitlines():
                    if not line.startswith(("sessionkit:", "hint:")):
                        self.assertLessEqual(width(line.replace("\u200d", "")), columns, (args, line))

    def test_on_twenty_columns_a_row_is_a_field_a_line_and_ids_are_whole(self):
        self.new("--id", "aaaaaaaa-1", "--title", "A title that is long")
        lines = self.on_terminal("ls", env={"NO_COLOR": "1"}, size=(20, 24))[1].splitlines()
        self.assertEqual(lines[0], "ID aaaaaaaa")
        self.assertEqual(lines[-1], "TITLE A title that …")

    def test_columns_are_aligned_in_every_script(self):
        self.new("--id", "aaaaaaaa-1", "--title", "会议记录")
        self.new("--id", "bbbbbbbb-2", "--title", "plain")
        self.say("bbbbbbbb-2", "assistant", "hello")
        shown = self.on_terminal("stats", env={"NO_COLOR": "1"}, size=(120, 24))[1].splitlines()
        self.assertEqual(shown[0].split()[0], "DAY")
        rows = self.on_terminal("prune", "--most", "1", "--dry-run", "--no-pager", env={"NO_COLOR": "1"}, size=(120, 24))[1]
        self.assertIn("aaaaaaaa-1", rows)


    def test_a_search_shows_titles_and_a_tree_shows_times(self):
        self.new("--id", "aaaaaaaa-1", "--title", "Sorting files")
        self.say("aaaaaaaa-1", "user", "lantern")
        for args in (["search", "lantern"], ["search", "-l", "lantern"]):
            shown = self.on_terminal(*args, env={"NO_COLOR": "1"}, size=(80, 24))[1]
            self.assertRegex(shown.splitlines()[0], r"^aaaaaaaa-1  (just now|\d+s ago)  Sorting files$")
        self.assertRegex(self.on_terminal("tree", "aaaaaaaa-1", env={"NO_COLOR": "1"}, size=(80, 24))[1], r"ago|just now")
        self.assertEqual(self.ok("search", "-l", "lantern").out, "aaaaaaaa-1\n")


class Colours(ProgramTest):
    def test_rules_of_the_environment(self):
        session = self.new()
        self.say(session, "user", "x")
        self.assertIn("\x1b[", self.ok("show", session, env={"CLICOLOR_FORCE": "1"}).out)
        self.assertNotIn("\x1b", self.ok("show", session, env={"CLICOLOR_FORCE": "0"}).out)
        self.assertNotIn("\x1b", self.ok("show", session, env={"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}).out)
        self.assertNotIn("\x1b", self.ok("show", session, "--color", "never", env={"CLICOLOR_FORCE": "1"}).out)
        self.assertIn("\x1b[31m", self.on_terminal("search", "x")[1])

    def test_hostile_content_reaches_no_terminal_by_any_verb(self):
        evil = "a\x1b]52;c;ZXZpbA==\x07b\x1b[2Jc\u009b31me\u202ef"
        session = self.new("--id", "evil", "--title", evil, "--key", evil, "--user", evil)
        entry = self.say(session, "user", evil)
        self.say(session, "assistant", evil)
        self.ok("set", session, f"state.{evil}={evil}")
        self.ok("label", session, entry, evil)
        for args in (["log", session], ["last", session], ["search", "a"], ["info", session], ["tree", session], ["ls"],
                     ["export", session], ["export", session, "--to", "html"], ["export", session, "--to", "jsonl"],
                     ["show", "no\x1b[2Jbody"], ["set", session, "x\x1b[2J=1"], ["search", "a", "--in", "\x1b[2J"],
                     ["tail", session], ["diff", session, session], ["stats"], ["context", session]):
            _, shown = self.on_terminal(*args, env={"NO_COLOR": "1"}, size=(200, 400))
            for byte in ("\x1b", "\x07", "\u009b", "\u202e"):
                self.assertNotIn(byte, shown, args)


class Progress(ProgramTest):
    def test_no_progress_without_a_terminal(self):
        self.say(self.new(), "user", "x")
        for args in (["search", "x"], ["export", "@last"]):
            self.assertEqual(self.ok(*args).err, "")


if __name__ == "__main__":
    unittest.main()
