# SPDX-License-Identifier: MIT
"""Shared by the tests of the programs. Programs under test: $SESSIONKIT, $CHAT."""
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import tempfile
import termios
import unittest

SESSIONKIT = os.environ.get("SESSIONKIT", "sessionkit")
CHAT = os.environ.get("CHAT", "chat")
HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"
PI = DATA / "pi"

# The environment of the person who runs the tests does not reach the programs.
ENVIRONMENT = {"PATH": os.environ["PATH"], "TZ": "UTC", "LC_ALL": "C.UTF-8", "COLUMNS": "80", "PAGER": "cat"}
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        ENVIRONMENT[name] = os.environ[name]


class Run:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout.decode("utf-8", "surrogateescape")
        self.err = done.stderr.decode("utf-8", "surrogateescape")

    @property
    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return f"exit {self.code}\nstdout: {self.out}\nstderr: {self.err}"


class ProgramTest(unittest.TestCase):
    """Each test has its own folder, and in it the path of a store that does not exist yet."""

    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sessionkit-cli-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.store = self.folder / "store"

    def environment(self, more=None):
        return {**ENVIRONMENT, "HOME": str(self.folder), "SESSIONKIT_STORE": str(self.store), **(more or {})}

    def run_program(self, *args, stdin=b"", env=None, program=SESSIONKIT, **options):
        environment = self.environment(env)
        if isinstance(stdin, str):
            stdin = stdin.encode()
        command = [program, *map(str, args)]
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("cwd", self.folder)
        return subprocess.run(command, input=stdin, stderr=subprocess.PIPE, env=environment,
                              timeout=60, check=False, **options)

    def run_cli(self, *args, **options):
        done = self.run_program(*args, **options)
        if done.stdout is None:
            done.stdout = b""
        return Run(done)

    def ok(self, *args, **options):
        run = self.run_cli(*args, **options)
        self.assertEqual(run.code, 0, run)
        return run

    def fails(self, code, *args, **options):
        run = self.run_cli(*args, **options)
        self.assertEqual(run.code, code, run)
        self.assertTrue(run.err.startswith("sessionkit: ") or run.err.startswith("{"), run)
        return run

    def verbs(self):
        """All verbs, as the help of the program lists them."""
        return re.findall(r"^  ([a-z-]+) ", self.ok("--help").out.partition("Options of all commands:")[0], re.MULTILINE)

    def new(self, *args):
        return self.ok("new", *args).out.strip()

    def say(self, session, role, text, *args):
        return self.ok("append", session, "--role", role, "--text", "-", *args, stdin=text).out.strip()

    def file_of(self, session):
        return self.store / f"{session}.jsonl"

    def fixture(self, name):
        """A copy of one of pi's sessions, which the test may change."""
        copy = self.folder / name
        shutil.copyfile(PI / name, copy)
        return copy

    def on_terminal(self, *args, answer=b"", env=None, size=None):
        """Runs the program with a terminal (`size`: columns and rows) for stdin, stdout and stderr; returns its exit code and
        its output."""
        environment = self.environment({"TERM": "xterm", **(env or {})})
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            if size:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
            os.execve(SESSIONKIT, [SESSIONKIT, *map(str, args)], environment)
        if answer:
            os.write(terminal, answer)
        shown = b""
        while piece := read_terminal(terminal):
            shown += piece
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode().replace("\r\n", "\n")


def read_terminal(terminal):
    """The next bytes that a program writes to its terminal; none if it has ended."""
    for _ in range(2):  # Linux may report the end while the last bytes are on their way: they come with the next call
        try:
            return os.read(terminal, 65536)
        except OSError:
            pass
    return b""


def texts(messages):
    """The text of each message, in any of the formats."""
    return [m["content"] if isinstance(m["content"], str)
            else "".join(b["text"] for b in m["content"] if b.get("type") == "text") for m in messages]
