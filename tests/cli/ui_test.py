# SPDX-License-Identifier: MIT
"""The full-screen browser, typed into: the screens are those that pyte, a terminal in Python, shows."""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import sys
import termios
import time
import unittest

from support import HERE, PI, SESSIONKIT, ProgramTest

sys.path.append("/usr/lib/python3/dist-packages")  # where Debian's package is, whichever Python runs
import pyte  # noqa: E402

UP, DOWN, ENTER, ESCAPE = "\x1b[A", "\x1b[B", "\r", "\x1b"


class Screen:
    def __init__(self, test, *args, size=(80, 24), env=None):
        self.screen = pyte.Screen(*size)
        self.stream = pyte.ByteStream(self.screen)
        environment = test.environment({"TERM": "linux", "NO_COLOR": "1", **(env or {})})
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
            os.chdir(test.folder)
            os.execve(SESSIONKIT, [SESSIONKIT, "ui", *map(str, args)], environment)
        self.ended = False
        test.addCleanup(self.close)

    def read(self, seconds):
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            piece = os.read(self.terminal, 65536)
        except OSError:
            return False
        self.stream.feed(piece)
        return bool(piece)

    @property
    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self):
        return "\n".join(self.lines)

    def wait_for(self, what, seconds=30):
        """Waits until the screen has the text."""
        end = time.monotonic() + seconds
        while what not in self.text:
            if time.monotonic() > end:
                raise AssertionError(f"{what!r} is not on the screen:\n{self.text}")
            self.read(0.2)
        while self.read(0.1):  # the rest of the screen
            pass
        return self.lines

    def press(self, keys, what):
        os.write(self.terminal, keys.encode())
        return self.wait_for(what)

    def leaves(self, keys="q"):
        os.write(self.terminal, keys.encode())
        while self.read(5):
            pass
        self.ended = True
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def close(self):
        if not self.ended:
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)
        os.close(self.terminal)


class Ui(ProgramTest):
    def setUp(self):
        super().setUp()
        self.store.mkdir(mode=0o700)
        for name in ("simple_chat", "branches_labels", "tool_calls"):
            shutil.copyfile(PI / f"{name}.jsonl", self.store / f"{name}.jsonl")
        if "built without" in self.run_cli("ui").err:
            self.skipTest("built without ncurses")

    def golden(self, name, lines):
        text = "\n".join(lines).replace(str(self.folder), "/home/ada") + "\n"
        text = re.sub(r"/tmp/\S+?/store", "/home/ada/store", text)
        path = HERE / "golden" / name
        if os.environ.get("SESSIONKIT_UPDATE_GOLDEN"):
            path.write_text(text)
        self.assertEqual(text, path.read_text())

    def test_the_golden_screens_at_two_sizes(self):
        for size in ((80, 24), (200, 60)):
            screen = Screen(self, "store", size=size)
            shots = [*screen.wait_for("Plan the trip"), "-- down, Enter"]
            shots += [*screen.press(DOWN + DOWN + ENTER, "t tree  / search  q back"), "-- t"]
            shots += [*screen.press("t", "Enter read up to here"), "-- /reversed"]
            shots += screen.press("/reversed" + ENTER, "1/1")
            self.golden(f"ui_{size[0]}x{size[1]}.txt", shots)
            for line in shots:
                self.assertLessEqual(len(line), size[0])
            self.assertEqual(screen.leaves("\x03"), 0)

    def test_a_search_opens_the_place_and_q_goes_back_to_where_it_was(self):
        screen = Screen(self)
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

    def test_a_session_that_cannot_be_read_does_not_end_it(self):
        screen = Screen(self)
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
        screen = Screen(self)
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
        screen = Screen(self)
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
        screen = Screen(self)
        lines = screen.wait_for("\\x1b[2J")
        self.assertIn("4 sessions", lines[0])
        self.assertNotIn("\u202e", screen.text)

    def test_it_changes_nothing(self):
        before = {path.name: path.read_bytes() for path in self.store.glob("*.jsonl")}
        screen = Screen(self, env={"NO_COLOR": ""})
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
