# SPDX-License-Identifier: MIT
"""What the scripts of the hosts share: a copy of a checkout, the adapter in it, a fake provider, and a program to kill.

A host is a real program that keeps its history with sessionkit. Its script takes a checkout of its repository: as the
argument, or as the folder of the repository's name in $SESSIONKIT_HOSTS. Without one it prints "not run" and exits
with 77. The checkout is never changed.

An adapter is a list of edits (`*.ed`, as `diff -e` writes them) of one file of the host, so that it has nothing of the
host's own text. Lines with `#` between the edits are comments; two of them name the file and its git blob.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NOT_RUN = 77
CXX = os.environ.get("CXX", "c++")
FLAGS = os.environ.get("CXXFLAGS", "").split()
LIBRARY = os.environ.get("SESSIONKIT_LIBRARY", "")
LINK = os.environ.get("SESSIONKIT_LINK", "").split(";")


class NotRun(Exception):
    """The host cannot be tried here."""


class Edits:
    """An adapter: the edits of one file."""

    def __init__(self, path):
        lines = path.read_text(encoding="utf-8").splitlines()
        head = dict(re.findall(r"^# (file|blob) (\S+)$", "\n".join(lines), re.M))
        self.file, self.blob, self.edits = head["file"], head["blob"], []
        at = 0
        while at < len(lines):
            if lines[at].startswith("#") or not lines[at]:
                at += 1
                continue
            first, last, verb = re.fullmatch(r"(\d+)(?:,(\d+))?([acd])", lines[at]).groups()
            end = lines.index(".", at) if verb != "d" else at
            self.edits.append((int(first), int(last or first), verb, lines[at + 1:end]))
            at = end + 1

    @property
    def added(self):
        return sum(len(lines) for *_, lines in self.edits)

    def apply(self, folder):
        file = folder / self.file
        data = file.read_bytes()
        blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
        if blob != self.blob:
            raise AssertionError(f"{self.file} of the checkout is the blob {blob}, but the adapter is for {self.blob}")
        lines = data.decode("utf-8").splitlines()
        for first, last, verb, new in sorted(self.edits, reverse=True):
            lines[first if verb == "a" else first - 1:last] = new
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


class FakeProvider:
    """The provider of tests/programs, which refuses every request that the checkers of tests/oracle refuse."""

    def __init__(self, test, steps=(), *arguments):
        script = test.folder / f"script-{time.monotonic_ns()}.jsonl"
        script.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
        self.requests_file = test.folder / f"requests-{time.monotonic_ns()}.jsonl"
        self.process = subprocess.Popen(
            [sys.executable, "-B", ROOT / "tests/programs/fake_provider.py", "--script", script, "--requests",
             self.requests_file, *arguments], stdout=subprocess.PIPE, text=True)
        test.addCleanup(self.stop)
        self.url = self.process.stdout.readline().split()[-1]

    def stop(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def pause(self):
        """From now on, requests wait for an answer."""
        self.process.send_signal(signal.SIGSTOP)

    @property
    def state(self):
        with urllib.request.urlopen(self.url + "/state", timeout=10) as reply:
            return json.load(reply)

    @property
    def requests(self):
        return [json.loads(line)["body"] for line in self.requests_file.read_text(encoding="utf-8").splitlines()]


class Host(unittest.TestCase):
    """One host: the copy of its checkout with the adapter in it is compiled once."""

    maxDiff = None
    repository = ""  # owner/name
    commit = ""      # for which the adapter was written
    before = 0       # the lines that the first embedding wrote by hand
    needs = {}       # header: Debian's package
    sources = []     # of the program; relative to the copy, or absolute
    include = []     # folders of the copy
    standard = "c++17"
    defines = []
    libraries = []

    @classmethod
    def prepare(cls):
        cls.checkout = cls.find_checkout()
        for header, package in cls.needs.items():
            found = subprocess.run([CXX, "-E", "-x", "c++", "-"], input=f"#include <{header}>\n", text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if found.returncode != 0:
                raise NotRun(f"the compiler does not find <{header}> (Debian: {package})")
        if not LIBRARY:
            raise NotRun("SESSIONKIT_LIBRARY does not name the library; ctest sets it")

    @classmethod
    def find_checkout(cls):
        name = cls.repository.split("/")[1]
        given = sys.argv[1] if len(sys.argv) > 1 else ""
        if not given and os.environ.get("SESSIONKIT_HOSTS"):
            given = str(pathlib.Path(os.environ["SESSIONKIT_HOSTS"]) / name)
        if not given or not pathlib.Path(given).is_dir():
            raise NotRun(f"give a checkout of github.com/{cls.repository} as the argument, or in $SESSIONKIT_HOSTS a folder "
                         f"that contains it as {name}")
        return pathlib.Path(given)

    @classmethod
    def setUpClass(cls):
        cls.copy = pathlib.Path(tempfile.mkdtemp(prefix="sessionkit-host-"))
        cls.addClassCleanup(shutil.rmtree, cls.copy)
        shutil.copytree(cls.checkout, cls.copy, ignore=shutil.ignore_patterns(".git"), dirs_exist_ok=True)
        cls.adapter = [Edits(path) for path in sorted(pathlib.Path(sys.argv[0]).resolve().parent.glob("*.ed"))]
        for edits in cls.adapter:
            edits.apply(cls.copy)
        cls.change_for_test()
        cls.program = cls.compile("host", cls.sources)

    @classmethod
    def change_for_test(cls):
        """Changes in the copy that belong to the test, not to the adapter."""

    @classmethod
    def run_compiler(cls, *arguments):
        command = [CXX, f"-std={cls.standard}", *FLAGS, "-O0", *map(str, arguments)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}\n{done.stdout[:4000]}")

    @classmethod
    def compile(cls, name, sources, libraries=()):
        objects = []
        for source in sources:
            objects.append(cls.copy / (pathlib.Path(source).stem + ".o"))
            if not objects[-1].exists():
                cls.run_compiler("-c", cls.copy / source, "-o", objects[-1], "-I", ROOT / "include", *cls.defines,
                                 *(f"-I{cls.copy / folder}" for folder in cls.include))
        cls.run_compiler(*objects, "-o", cls.copy / name, LIBRARY, f"-Wl,-rpath,{pathlib.Path(LIBRARY).parent}",
                         *filter(None, LINK), *libraries, *cls.libraries, "-pthread")
        return cls.copy / name

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sessionkit-host-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, fake, *arguments, **environment):
        process = subprocess.Popen([self.program, *arguments], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True,
                                   env={**os.environ, **self.environment(fake), **environment})
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()

    def run_host(self, fake, said, *arguments):
        process = self.start(fake, *arguments)
        out, _ = process.communicate(said, timeout=60)
        self.assertEqual(process.returncode, 0, out)
        return out

    def expect_line(self, process, line):
        """Reads until the program prints this line; hosts also print logs."""
        for shown in process.stdout:
            if shown == line + "\n":
                return
        self.fail(f"{line!r} was not printed")

    def wait_for(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "what was waited for did not happen")
            time.sleep(0.01)

    def stored(self, folder="sessions"):
        """The lines of the only session."""
        files = [file for file in (self.folder / folder).glob("*.jsonl")]
        return [json.loads(line) for line in files[0].read_text(encoding="utf-8").splitlines()] if files else []

    def check_accepted(self, fake, count):
        state = fake.state
        self.assertEqual((state["accepted"], state["refused"]), (count, []))

    def check_lines(self, lines):
        print(f"{self.repository}: {lines} lines of the adapter, {self.before} before")
        self.assertLessEqual(3 * lines, self.before)


def commit_of(checkout):
    done = subprocess.run(["git", "-C", checkout, "rev-parse", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() or "unknown"


def main(host):
    try:
        host.prepare()
    except NotRun as reason:
        print(f"not run: {reason}")
        sys.exit(NOT_RUN)
    print(f"{host.repository} at {commit_of(host.checkout)}; the adapter is for {host.commit}", flush=True)
    loaded = unittest.defaultTestLoader.loadTestsFromTestCase(host)
    sys.exit(not unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(loaded).wasSuccessful())
