# SPDX-License-Identifier: MIT
"""Shared by the tests of formats. The program under test: $SESSIONKIT."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"
SESSIONKIT = os.environ.get("SESSIONKIT", "sessionkit")
sys.path.insert(0, str(HERE.parent / "oracle"))

ENVIRONMENT = {"PATH": os.environ["PATH"], "TZ": "UTC", "LC_ALL": "C.UTF-8"}
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"):
    if name in os.environ:
        ENVIRONMENT[name] = os.environ[name]


class FormatTest(unittest.TestCase):
    """Each test has its own folder."""

    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sessionkit-dialects-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_cli(self, *args, text="", code=0, or_code=None):
        done = subprocess.run([SESSIONKIT, *map(str, args)], input=text.encode(), capture_output=True, cwd=self.folder,
                              env=dict(ENVIRONMENT, HOME=str(self.folder)), timeout=60, check=False)
        self.errors = done.stderr.decode()
        self.assertIn(done.returncode, (code, or_code), self.errors)
        return done.stdout.decode("utf-8", "surrogateescape")

    def history(self, path, *args):
        return json.loads(self.run_cli("history", path, *args))

    def say(self, path, role, words):
        return self.run_cli("append", path, "--role", role, "--text", "-", text=words).strip()

    def file_of(self, lines, name="ses-1.jsonl"):
        path = self.folder / name
        path.write_bytes("".join(line + "\n" for line in lines).encode())
        return path

    def store_of(self, files):
        """A new directory with these files (name to text, or to lines)."""
        root = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for file, content in files.items():
            path = root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else "".join(line + "\n" for line in content))
        return root

    def copy(self, source, name="copy.jsonl"):
        path = self.folder / name
        shutil.copyfile(source, path)
        return path
