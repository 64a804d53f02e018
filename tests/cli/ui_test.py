# SPDX-License-Identifier: MIT
"""The full-screen browser, typed into: the screens are those that pyte, a terminal in Python, shows."""
import fcntl
import os
import shutil
import signal
import struct
import termios
import unittest

import keyboard
from keyboard import DOWN, ENTER, UP
from support import HERE, PI, SESSIONKIT, ProgramTest


def browser(test, *args, **options):
    return keyboard.Screen(test, SESSIONKIT, "ui", *args, **options)


class Ui(ProgramTest):
    def setUp(self):
        super().setUp()
        self.store.mkdir(mode=0o700)
        for name in ("simple_chat", "branches_labels", "tool_calls"):
            shutil.copyfile(PI / f"{name}.jsonl", self.store / f"{name}.jsonl")
        if "built without" in self.run_cli("ui").err:
            self.skipTest("built without ncurses")

    def test_the_golden_screens_at_two_sizes(self):
        for size in ((80, 24), (200, 60)):
            screen = browser(self, "store", size=size)
            shots = [*screen.wait_for("Plan the trip"), "-- down, Enter"]
            shots += [*screen.press(DOWN + DOWN + ENTER, "t tree  / search  q back"), "-- t"]
            shots += [*screen.press("t", "Enter read up to here"), "-- /reversed"]
            shots += screen.press("/reversed" + ENTER, "1/1")
            keyboard.golden(self, HERE / "golden" / f"ui_{size[0]}x{size[1]}.txt", shots)
            for line in shots:
                self.assertLessEqual(len(line), size[0])
            self.assertEqual(screen.leaves("\x03"), 0)

    def test_a_search_opens_the_place_and_q_goes_back_to_where_it_was(self):
        screen = browser(self)
        screen.wait_for("3 sessions")
        lines = screen.press("/REVERSED" + ENTER, "1 hit")
        self.assertIn("and reversed?", lines[1])
        lines = screen.press(ENTER, "next and previous hit")
        self.assertIn("> and reversed?", lines)
        screen.press("q", "1 hit")
        screen.press("q", "3 sessions")
        self.assertIn('"nowhere" · 0 hits', screen.press("/nowhere" + ENTER, "Nothing has this text")[0])
        screen.press("q", "3 sessions")
        self.assertEqual(screen.leaves(), 0)

    def test_the_preview_of_a_hit_ends_at_the_hit_and_the_title_has_the_id(self):
        session = self.new("--title", "Rivers")
        for role, text in (("user", "which river?"), ("assistant", "the zephyr Rhine"), ("user", "and now?"), ("assistant", "the end")):
            self.say(session, role, text)
        screen = browser(self)
        screen.wait_for("4 sessions")
        lines = screen.press("/zephyr" + ENTER, "1 hit")
        preview = [line.partition("│")[2].strip() for line in lines[1:-1]]
        self.assertEqual([text for text in preview if text][-1], "the zephyr Rhine")
        lines = screen.press(ENTER, "next and previous hit")
        self.assertTrue(lines[0].startswith(f" {session[:12]} · Rivers"), lines[0])
        self.assertIn("Rivers", self.ok("info", session[:12]).out)

    def test_a_session_that_cannot_be_read_does_not_end_it(self):
        screen = browser(self)
        screen.wait_for("3 sessions")
        (self.store / "tool_calls.jsonl").unlink()
        lines = screen.press(DOWN, "2/3")
        self.assertIn("tool_calls", "".join(line.partition("│ ")[2] for line in lines))
        self.assertIn("tool_calls", screen.press(ENTER, "2/3")[-1])
        screen.press("/reversed" + ENTER, "1 hit")
        self.assertIn("not everything was searched", screen.lines[-1])
        screen.press("q", "3 sessions")
        self.assertEqual(screen.leaves(), 0)

    def test_each_line_of_a_conversation_can_be_reached(self):
        self.say(self.new(), "user", "\n".join(f"line {i}" for i in range(100)))
        screen = browser(self)
        screen.wait_for("4 sessions")
        self.assertIn("> line 99", screen.press(ENTER, "101/101"))
        self.assertIn("> line 98", screen.press("k", "100/101"))
        self.assertIn("> line 97", screen.press(UP, "99/101"))
        self.assertIn("> line 0", screen.press("gj", "2/101"))
        screen.press(" ", "23/101")
        fcntl.ioctl(screen.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 40, 0, 0))
        screen.screen.resize(10, 40)
        os.kill(screen.pid, signal.SIGWINCH)
        screen.wait_for("/101")
        self.assertEqual(max(len(line) for line in screen.lines), 40)

    def test_a_tree_leads_to_the_branch_that_was_left(self):
        session = self.new("--id", "zz-branches")
        first = self.say(session, "user", "the first question")
        self.say(session, "assistant", "the old answer")
        self.ok("rewind", session, first)
        self.say(session, "assistant", "the new answer")
        screen = browser(self)
        screen.wait_for("the first question")
        self.assertNotIn("the old answer", "\n".join(screen.press(ENTER, "the new answer")))
        lines = screen.press("t", "<- leaf")
        self.assertTrue(any("├─ " in line and "the old answer" in line for line in lines), lines)
        place = next(i for i, line in enumerate(lines) if "the old answer" in line)
        leaf = next(i for i, line in enumerate(lines) if "<- leaf" in line)
        lines = screen.press((UP if place < leaf else DOWN) * abs(leaf - place) + ENTER, "q back")
        screen.wait_for("the old answer")
        self.assertNotIn("the new answer", screen.text)

    def test_hostile_text_is_only_text(self):
        self.say(self.new("--title", "a\x1b[2Jb\x07\u202ec"), "user", "x\x1b]52;c;eA==\x07\x1b[31my\u202ez")
        screen = browser(self)
        lines = screen.wait_for("\\x1b[2J")
        self.assertIn("4 sessions", lines[0])
        self.assertNotIn("\u202e", screen.text)

    def test_it_changes_nothing(self):
        before = {path.name: path.read_bytes() for path in self.store.glob("*.jsonl")}
        screen = browser(self, env={"NO_COLOR": ""})
        screen.wait_for("3 sessions")
        screen.press("jjt", "Enter read up to here")
        screen.press("\x1b", "3 sessions")
        self.assertEqual(screen.leaves("q"), 0)
        self.assertEqual({path.name: path.read_bytes() for path in self.store.glob("*.jsonl")}, before)

    def test_without_a_terminal_that_can_be_drawn_on_it_says_what_to_do(self):
        run = self.fails(2, "ui")
        self.assertIn("hint: for a list: sessionkit ls", run.err)
        self.assertEqual(self.on_terminal("ui", env={"TERM": "dumb"})[0], 2)
        code, shown = self.on_terminal("ui", env={"TERM": "no-such-terminal"})
        self.assertEqual(code, 2, shown)
        self.assertIn("TERM is no-such-terminal", shown)
        self.assertEqual(self.on_terminal("ui", "nowhere")[0], 3)


if __name__ == "__main__":
    unittest.main()
