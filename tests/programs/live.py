# SPDX-License-Identifier: MIT
"""Shared by the tests of chat and chat_host: a provider that refuses invalid histories, and a terminal."""
import codecs
import fcntl
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import termios
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
LSAN_OPTIONS = f"suppressions={HERE / 'lsan.supp'}:print_suppressions=0"
sys.path.insert(0, str(HERE.parent / "cli"))
sys.path.insert(0, str(HERE.parent / "oracle"))
sys.dont_write_bytecode = True
from support import read_terminal  # noqa: E402


class FakeProvider:
    """A provider on loopback; `steps` is its script."""

    def __init__(self, test, steps=(), *arguments):
        self.requests_file = test.folder / f"requests-{time.monotonic_ns()}.jsonl"
        script = test.folder / f"script-{time.monotonic_ns()}.jsonl"
        script.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, "-B", HERE / "fake_provider.py", "--script", script, "--requests", self.requests_file,
             *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        test.addCleanup(self.stop)
        self.url = self.process.stdout.readline().split()[-1]

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def base_url(self, provider):
        return self.url + ("/v1" if provider.startswith("openai") else "")

    @property
    def state(self):
        with urllib.request.urlopen(self.url + "/state", timeout=10) as reply:
            return json.load(reply)

    @property
    def requests(self):
        return [json.loads(line)["body"] for line in self.requests_file.read_text(encoding="utf-8").splitlines()]


LISTENS = "\ue000"  # in what a terminal shows: here the line editor begins to read a line
ENDED = "\ue001"  # and here the program has ended


class Terminal:
    """A program that runs in a terminal, and its output."""

    def __init__(self, test, *command, env=None, columns=100):
        self.shown = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.unread = ""
        environment = test.environment({"TERM": "xterm", "COLUMNS": str(columns), "LSAN_OPTIONS": LSAN_OPTIONS, **(env or {})})
        # The program's end stays open here: the last output is lost when the last end of a terminal closes.
        self.fd, self.program_end = os.openpty()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                fcntl.ioctl(self.program_end, termios.TIOCSCTTY, 0)
                for stream in range(3):
                    os.dup2(self.program_end, stream)
                os.chdir(test.folder)
                os.execve(command[0], list(map(str, command)), environment)
            finally:
                os._exit(127)  # no second Python continues the tests
        self.status = None
        test.addCleanup(self.close)

    def expect(self, text, seconds=60):
        """Waits until the text is shown after the last expected text; returns the output until then."""
        end = time.monotonic() + seconds
        while text not in self.shown:
            if not self.read(end - time.monotonic()):
                raise AssertionError(f"{text!r} did not come, but {self.shown!r}")
        before, self.shown = self.shown.split(text, 1)
        return (before + text).replace(LISTENS, "")

    def read(self, seconds):
        if seconds <= 0 or not select.select([self.fd], [], [], seconds)[0]:
            return False
        piece = read_terminal(self.fd)
        text = self.unread + self.decoder.decode(piece)
        begun = re.search(r"(\x1b(\[[0-9;?]*)?)?\Z", text).start()  # a control sequence whose end comes with the next piece
        text, self.unread = text[:begun].replace("\x1b[?2004h", LISTENS), text[begun:]
        # A line editor's control sequences are not what a person reads.
        self.shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\x07\x08]", "", text)
        return piece != b""

    def type(self, text):
        os.write(self.fd, text.encode())

    def say(self, line):
        """Types a line, and returns the output until the next prompt."""
        self.type(line + "\n")
        return self.prompt()

    def prompt(self):
        """Waits until the program reads a line, which a prompt in a shown conversation is not; returns the output until then."""
        return self.expect(LISTENS) + self.expect("you> ")

    def show(self, command):
        """Types a command, at whichever prompt, and returns its output."""
        self.type(command + "\n/end\n")
        shown = self.expect("there is no command /end")
        self.expect("/help lists them")
        self.expect("you> ")
        return shown

    def press(self, key, text, seconds=60):
        """Presses a key until the text is shown: a line editor shows its prompt before it listens for keys."""
        end = time.monotonic() + seconds
        while text not in self.shown and time.monotonic() < end:
            self.type(key)
            self.read(0.5)
        return self.expect(text)

    def kill(self, number=signal.SIGKILL):
        os.kill(self.pid, number)
        return self.wait()

    def wait(self, seconds=60):
        """The exit code, with all that was shown read; negative: the signal that ended it."""
        end = time.monotonic() + seconds
        while self.status is None and time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            elif not self.read(0.02):
                time.sleep(0.01)
        if self.status is None:
            raise AssertionError(f"the program is still there; it shows {self.shown!r}")
        while self.read(0.01):  # room for the mark, if the terminal is full
            pass
        os.write(self.program_end, ENDED.encode())
        while ENDED not in self.shown:
            self.read(1)
        return self.status

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.program_end)
        os.close(self.fd)
