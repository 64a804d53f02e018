# SPDX-License-Identifier: MIT
"""A program that is typed into; its screen is the one that pyte, a terminal in Python, shows."""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
import unicodedata

sys.path.append("/usr/lib/python3/dist-packages")  # where Debian's package is, whichever Python runs
import pyte  # noqa: E402

from support import read_terminal  # noqa: E402

UP, DOWN, ENTER, ESCAPE = "\x1b[A", "\x1b[B", "\r", "\x1b"


class Screen:
    """`drawn`: false for tests of the bytes alone, which are faster."""

    def __init__(self, test, *command, size=(80, 24), env=None, drawn=True):
        self.drawn = drawn
        self.screen = pyte.Screen(*size)
        self.stream = pyte.ByteStream(self.screen)
        self.written = b""
        environment = test.environment({"TERM": "linux", "NO_COLOR": "1", **(env or {})})
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
            os.chdir(test.folder)
            os.execve(command[0], list(map(str, command)), environment)
        self.ended = False
        test.addCleanup(self.close)

    def read(self, seconds):
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        piece = read_terminal(self.terminal)
        self.written += piece
        if self.drawn:
            self.stream.feed(piece)
        return bool(piece)

    @property
    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self):
        return "\n".join(self.lines) if self.drawn else self.written.decode("utf-8", "ignore")

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


def width(text):
    """The columns of the text on a terminal, by Unicode's own tables."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def golden(test, path, lines):
    """Compares with a file, in which the test's folder is another one and ids are all the same."""
    text = "\n".join(lines).replace(str(test.folder), "/home/ada") + "\n"
    text = re.sub(r"/tmp/\S+?/store", "/home/ada/store", text)
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "01234567-89ab-7def-8123-456789abcdef", text)
    if os.environ.get("SESSIONKIT_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    test.assertEqual(text, path.read_text(encoding="utf-8"))
