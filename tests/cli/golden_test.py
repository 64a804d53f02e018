# SPDX-License-Identifier: MIT
"""The exact output of each verb: text, JSON, an error, and their exit codes. golden/VERB.screen, reviewed by eye;
SESSIONKIT_UPDATE_GOLDEN=1 writes them again."""
import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

from support import DATA, HERE, PI, SESSIONKIT, ProgramTest

# A program for Windows sees the files of this machine on a drive of wine, "Z:". Some of its screens are its own.
DRIVE = os.environ.get("SESSIONKIT_DRIVE", "")

STORE = ["simple_chat", "branches_labels", "tool_calls", "edge_torn_tail"]
CHAT, TREE, TORN = "simple_chat", "branches_labels", "edge_torn_tail"
LEAF = "1435c6af"  # the third of the four entries of simple_chat

# Each line is run for the verb, and once more with --json; commands that change something run in a separate store.
SCREENS = {
    "ui": ["ui"],
    "ls": ["ls", "ls -n 1", "ls --key nobody", "ls theirs", "ls -n many"],
    "show": [f"show {CHAT}", f"show {CHAT} --leaf {LEAF}", f"show {TORN} --leaf nope"],
    "last": [f"last {CHAT}", f"last {CHAT} --code", "last nobody"],
    "history": [f"history {CHAT} --leaf {LEAF}", "history nobody"],
    "context": [f"context {CHAT}", "context nobody"],
    "log": [f"log {CHAT}", f"log {TREE} -n 3", f"log {CHAT} --type user", f"log {TORN} -n 1", "log nobody"],
    "tree": [f"tree {CHAT}", "tree nobody"],
    "tail": [f"tail {CHAT} -n 1", "tail nobody"],
    "search": ["search reversed", "search -i REVERSED", "search REVERSED", "search 'lS' --role assistant -n 1",
               "search -l list", f"search size --in {CHAT}", "search size --in nobody", "search ''"],
    "diff": [f"diff {CHAT}@{LEAF} {CHAT}", f"diff {CHAT} tool_calls", f"diff {CHAT} nobody"],
    "stats": [f"stats {CHAT}", "stats nobody"],
    "info": [f"info {CHAT}", "info", "info nobody"],
    "path": [f"path {CHAT}", "path", "path nobody"],
    "new": ["new --id mine --title 'A title' --key k", "new --id mine", "new --id ../x", "new --store theirs"],
    "append": [f"append {CHAT} --role user --text x --entry-id e1", f"append {CHAT} --role user --text y --entry-id e1",
               f"append {CHAT} --role user --text ''"],
    "fork": [f"fork {CHAT} --id copy --at {LEAF} --title Copy --user ada", f"fork {CHAT} --at nope"],
    "rewind": [f"rewind {CHAT} {LEAF}", f"rewind {CHAT} nope", f"rewind {CHAT}", f"rewind {CHAT} {LEAF} --summary ''"],
    "compact": [f"compact {CHAT} --keep-turns 1 --dry-run", f"compact {CHAT} --keep-turns 1"],
    "set": [f"set {CHAT} title='Sorting files' state.city=Berlin state.budget=1200 archived=true", f"set {CHAT} --unset state.city",
            f"set {CHAT} key=x", f"set {CHAT} colour=blue", f"set {CHAT} title", f"set {CHAT}"],
    "rename": [f"rename {CHAT} 'Sorting files'", "rename nobody x"],
    "label": [f"label {CHAT} {LEAF} here", f"label {CHAT} {LEAF} --remove", f"label {CHAT} nope here", f"label {CHAT} {LEAF}"],
    "archive": [f"archive {CHAT}", "archive nobody"],
    "restore": [f"restore {CHAT}", "restore nobody"],
    "export": [f"export {CHAT} -o talk.out", f"export {CHAT} -o talk.out", f"export {CHAT} --to jsonl --leaf {LEAF}",
               "export nobody", f"export {CHAT} --to claude-code -o claude --cwd /home/ada/project",
               f"export {CHAT} --to claude-code -o claude --cwd /home/ada/project",
               f"export {CHAT} --to codex -o codex --id mine"],
    "import": ["import simple_chat.jsonl", "import simple_chat.jsonl --dry-run", "import nothing.jsonl", "import theirs",
               "import theirs --dry-run", "import simple_chat.jsonl --store theirs", "import theirs --from codex"],
    "discover": ["discover theirs", "discover", "discover nowhere"],
    "convert": [f"convert {CHAT} --to flat -o flat.out", f"convert {CHAT} --to flat -o flat.out", f"convert {CHAT}"],
    "cp": ["cp simple_chat.jsonl copies", "cp simple_chat.jsonl copies --dry-run", "cp nowhere copies"],
    "rm": [f"rm {CHAT} --dry-run", f"rm {CHAT}", "rm nobody --yes"],
    "empty-trash": ["empty-trash", "empty-trash --store memory:"],
    "prune": ["prune --most 1 --dry-run", "prune"],
    "verify": [f"verify {CHAT}", f"verify {TORN}", "verify nobody"],
    "doctor": ["doctor simple_chat.jsonl", "doctor nothing.jsonl"],
    "reindex": ["reindex", "reindex --store memory:"],
    "completion": ["completion tcsh"],
}
CHANGES = {"new", "append", "fork", "rewind", "compact", "set", "rename", "label", "archive", "restore", "export", "import",
           "convert", "cp", "rm"}


class StoreTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.fill()

    def fill(self):
        shutil.rmtree(self.store, ignore_errors=True)
        self.store.mkdir(mode=0o700)
        for name in STORE:
            shutil.copyfile(PI / f"{name}.jsonl", self.store / f"{name}.jsonl")
        shutil.copyfile(PI / "simple_chat.jsonl", self.folder / "simple_chat.jsonl")
        for name in ("talk.out", "flat.out"):
            (self.folder / name).unlink(missing_ok=True)
        for name in ("copies", "theirs", "claude"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        shutil.copytree(DATA / "foreign/claude-code", self.folder / "theirs")
        for path in (self.folder / "theirs").iterdir():
            os.utime(path, (1_790_000_000, 1_790_000_000))
        self.ok("reindex")

    def screen(self, line, *more):
        run = self.run_cli(*shlex.split(line), *more)
        text = f"$ sessionkit {shlex.join([*shlex.split(line), *more])}\n{run.out}"
        text += "".join(f"stderr: {line}\n" for line in run.err.splitlines()) + f"exit {run.code}\n"
        text = text.replace(DRIVE + str(self.folder), "/home/ada").replace(str(self.folder), "/home/ada")
        text = re.sub(r"\b[0-9a-f]{16}\b", "<entry id>", text)  # made at random
        return re.sub(r"created \d+ days ago|\b\d+d\b without", "...", text), run


class Golden(StoreTest):
    def test_every_verb_has_a_screen(self):
        self.assertEqual(sorted(self.verbs()), sorted(SCREENS))

    def test_each_verb_prints_its_golden_screen(self):
        for verb, lines in SCREENS.items():
            text = ""
            for more in ([], ["--json"]):
                for line in lines:
                    shown, run = self.screen(line, *more)
                    text += shown
                    if more and run.out and verb != "tail":
                        json.loads(run.out)
                    if more and run.code > 1 and not run.out:
                        json.loads(run.err.splitlines()[-1])
                if verb in CHANGES:
                    self.fill()
            path = HERE / "golden" / f"{verb}.windows.screen"
            if not DRIVE or not path.exists():
                path = HERE / "golden" / f"{verb}.screen"
            if os.environ.get("SESSIONKIT_UPDATE_GOLDEN"):
                path.write_text(text)
            with self.subTest(verb):
                self.assertEqual(text, path.read_text())


class Pipes(StoreTest):
    """The first line of each verb's list, its normal use."""

    def lines(self):
        return [(verb, shlex.split(lines[0])) for verb, lines in SCREENS.items() if verb not in ("completion", "ui")]

    def test_a_full_stdout_is_a_failure_of_every_verb(self):
        for verb, args in [*self.lines(), ("completion", ["completion", "bash"])]:
            if verb in ("set", "rename", "label", "verify", "doctor"):
                args = [*args, "--json"]  # without them these print nothing, or nothing useful
            with open("/dev/full", "wb") as full:
                run = self.run_cli(*args, stdout=full)
            with self.subTest(verb):
                self.assertEqual(run.code, 7, run)
                self.assertIn("stdout", run.err)
            if verb in CHANGES:
                self.fill()

    def test_a_closed_stdin_harms_no_verb(self):
        for verb, args in self.lines():
            done = subprocess.run(["bash", "-c", 'exec "$0" "$@" <&-', SESSIONKIT, *args, "--json"], capture_output=True, cwd=self.folder,
                                  env=self.environment(), timeout=60, check=False)
            with self.subTest(verb):
                self.assertIn(done.returncode, (0, 1, 2), done)
                json.loads(done.stdout or done.stderr)
            if verb in CHANGES:
                self.fill()

    def test_a_reader_that_goes_away_is_no_news_to_any_verb(self):
        session = "big"
        (self.store / f"{TORN}.jsonl").unlink()
        with open(self.store / "big.jsonl", "w", encoding="utf-8") as file:
            print('{"type":"session","version":3,"id":"big","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}', file=file)
            for i in range(20_000):
                parent = f'"e{i - 1}"' if i else "null"
                print(f'{{"type":"message","id":"e{i}","parentId":{parent},"timestamp":"2026-01-01T00:00:00.000Z",'
                      f'"message":{{"role":"user","content":"needle {i} {"x" * 200}"}}}}', file=file)
        for args in (["show", session], ["log", session], ["tree", session], ["search", "needle", "-n", "0"],
                     ["search", "needle", "-n", "0", "--json"], ["export", session], ["export", session, "--to", "html"],
                     ["export", session, "--to", "jsonl"], ["history", session], ["tail", session, "-n", "5000"],
                     ["completion", "bash"], ["--help"]):
            command = 'set -o pipefail; "$0" "$@" | head -n 1 > /dev/null'
            done = subprocess.run(["bash", "-c", command, SESSIONKIT, *args], capture_output=True, env=self.environment(),
                                  timeout=60, check=False)
            with self.subTest(args):
                self.assertIn(done.returncode, (0, 141), done)
                self.assertEqual(done.stderr, b"")


if __name__ == "__main__":
    unittest.main()
