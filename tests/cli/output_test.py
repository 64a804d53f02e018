# SPDX-License-Identifier: MIT
"""Stdout is all of the data, or the program fails; stored text never controls a terminal."""
import os
import subprocess
import unittest

from support import ENVIRONMENT, HERE, PI, SESSIONKIT, ProgramTest

# Clipboard (OSC 52), window title, cursor, bell, an 8-bit CSI, and a change of the writing direction.
EVIL = "a\x1b]52;c;ZXZpbA==\x07b\x1b[2Jc\x07d\u009b31me\u202ef\x1b]0;title\x1b\\g"


class Terminal(ProgramTest):
    def test_nothing_stored_reaches_the_terminal_as_a_command(self):
        session = self.new("--title", EVIL, "--key", EVIL)
        self.say(session, "user", EVIL)
        for args in (["ls"], ["show", session], ["tree", session], ["show", session, "--color", "never"]):
            code, shown = self.on_terminal(*args, env={"NO_COLOR": "1"})
            self.assertEqual(code, 0, shown)
            for byte in ("\x1b", "\x07", "\u009b", "\u202e"):
                self.assertNotIn(byte, shown, args)
            self.assertIn("\\u202e", shown, args)

    def test_raw_gives_the_bytes(self):
        session = self.new()
        self.say(session, "user", "a\x1b[1mb")
        self.assertIn("a\x1b[1mb", self.on_terminal("show", session, "--raw")[1])
        self.assertIn("a\x1b[1mb", self.ok("show", session, "--raw").out)
        self.assertIn("a\\x1b[1mb", self.ok("show", session).out)

    def test_a_pipe_receives_no_command_for_a_terminal(self):
        session = self.new("--title", EVIL, "--key", EVIL)
        self.say(session, "user", EVIL)
        for args in (["ls"], ["show", session], ["tree", session], ["search", "me"], ["info", session]):
            out = self.ok(*args).out
            for byte in ("\x1b", "\x07", "\u009b", "\u202e"):
                self.assertNotIn(byte, out, args)
        for args in (["show", "no\x1b[2Jbody"], ["search", "a", "--in", "\x1b[2J"]):
            self.assertNotIn("\x1b", self.run_cli(*args).err, args)

    def test_colours_are_for_terminals_that_want_them(self):
        session = self.new()
        self.say(session, "user", "x")
        self.assertIn("\x1b[", self.on_terminal("show", session)[1])
        self.assertNotIn("\x1b", self.on_terminal("show", session, env={"NO_COLOR": "1"})[1])
        self.assertNotIn("\x1b", self.on_terminal("show", session, env={"TERM": "dumb"})[1])
        self.assertNotIn("\x1b", self.ok("show", session).out)
        self.assertIn("\x1b[", self.ok("show", session, "--color", "always").out)

    def test_ls_is_a_table_with_ids_that_can_be_typed(self):
        sessions = [self.new("--title", f"Title {i}") for i in range(3)]
        code, shown = self.on_terminal("ls")
        self.assertEqual(code, 0)
        heading, *rows = shown.splitlines()
        self.assertEqual(heading.split(), ["ID", "UPDATED", "MSGS", "TOKENS", "MODEL", "TITLE"])
        for row, session in zip(rows, sessions[::-1]):
            short = row.split()[0]
            self.assertTrue(session.startswith(short) and len(short) >= 8)
            self.assertIn(session, self.ok("show", short, "--json").out)

    def test_tree_draws_branches(self):
        code, shown = self.on_terminal("tree", PI / "branches_labels.jsonl")
        self.assertEqual(code, 0)
        self.assertIn("├─ ", shown)
        self.assertIn("[bus]", shown)
        self.assertEqual(shown.count("<- leaf"), 1)

    def test_rm_asks_and_no_is_no(self):
        session = self.new()
        code, shown = self.on_terminal("rm", session, answer=b"n\n")
        self.assertEqual(code, 2, shown)
        self.assertIn("1 session", shown)
        self.ok("show", session)
        self.assertEqual(self.on_terminal("rm", session, answer=b"y\n")[0], 0)
        self.assertEqual(self.run_cli("show", session).code, 3)


class Stdout(ProgramTest):
    def test_a_full_stdout_is_a_failure_for_every_verb(self):
        session = self.new("--key", "k")
        self.say(session, "user", "x")
        with open(self.file_of(session), "ab") as file:
            file.write(b"damage\n")
        for args in (["ls"], ["ls", "--json"], ["show", session], ["history", session], ["tree", session, "--json"],
                     ["verify"], ["new"], ["append", session, "--role", "user", "--text", "y"], ["fork", session],
                     ["reindex"], ["--help"], ["--version"], ["rm", session, "--yes"]):
            with open("/dev/full", "wb") as full:
                run = self.run_cli(*args, stdout=full)
            self.assertEqual(run.code, 7, (args, run))
            self.assertIn("stdout", run.err)

    def test_a_reader_that_goes_away_is_no_news(self):
        session = self.new()
        self.say(session, "user", "x" * 1_000_000)
        command = f"'{SESSIONKIT}' show '{session}' | head -c 10; echo \" ${{PIPESTATUS[0]}}\""
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False,
                              env=dict(ENVIRONMENT, SESSIONKIT_STORE=str(self.store)))
        self.assertEqual((done.stdout, done.stderr), ("user> xxxx 141\n", ""))

    def test_a_closed_stdout_is_a_failure_and_never_the_transcript(self):
        session = self.new()
        before = self.file_of(session).read_bytes()
        for closed in ("<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"):
            command = f"'{SESSIONKIT}' append '{session}' --role user --text x {closed}"
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False,
                                  env=dict(ENVIRONMENT, SESSIONKIT_STORE=str(self.store)))
            self.assertEqual(done.returncode, 0 if closed == "<&-" else 1, closed)
        lines = self.file_of(session).read_bytes()[len(before):].splitlines()
        self.assertEqual(len(lines), 4)
        self.ok("verify", session)
        command = f"'{SESSIONKIT}' append '{session}' --role user --text - <&-"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False,
                              env=dict(ENVIRONMENT, SESSIONKIT_STORE=str(self.store)))
        self.assertNotEqual(done.returncode, 0)

    def test_notices_never_mix_with_data_and_quiet_silences_them(self):
        session = self.new()
        self.say(session, "user", "x")
        with open(self.file_of(session), "ab") as file:
            file.write(b"damage\n")
        for verb in ("show", "history", "tree"):
            loud, quiet = self.ok(verb, session), self.ok(verb, session, "--quiet")
            self.assertEqual(loud.out, quiet.out)
            self.assertIn("damaged", loud.err)
            self.assertEqual(quiet.err, "")

    def test_output_does_not_depend_on_the_locale(self):
        self.new("--title", "Gr\u00fc\u00dfe")
        for locale in ("C", "POSIX", "de_DE.ISO-8859-1"):
            self.assertIn("Gr\u00fc\u00dfe", self.ok("ls", env={"LC_ALL": locale}).out)


class Golden(ProgramTest):
    """Reviewed by eye. SESSIONKIT_UPDATE_GOLDEN=1 writes them again."""

    def check(self, name, *args):
        text = self.ok(*args).out
        path = HERE / "golden" / name
        if os.environ.get("SESSIONKIT_UPDATE_GOLDEN"):
            path.write_text(text)
        self.assertEqual(text, path.read_text())

    def test_tree(self):
        self.check("tree_branches_labels.tsv", "tree", PI / "branches_labels.jsonl")
        self.check("tree_simple_chat.json", "tree", PI / "simple_chat.jsonl", "--json")

    def test_show(self):
        self.check("show_tool_calls.txt", "show", PI / "tool_calls.jsonl", "--thinking")

    def test_history(self):
        self.check("history_simple_chat.json", "history", PI / "simple_chat.jsonl")


if __name__ == "__main__":
    unittest.main()
