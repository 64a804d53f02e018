#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists, imports and shows large files of other programs, beside the same work in plain Python, in turns (ABBA), each
sample in a process of its own. The files are made out of those in tests/data, and removed at the end.

usage: foreign.py FOREIGN [--dir DIR] [--rounds N] [--scale N]
FOREIGN is the program sessionkit_foreign. --scale 0.1 makes the files ten times smaller."""
import argparse
import json
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

import foreign_files

HERE = pathlib.Path(__file__).resolve().parent


def parse():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("foreign", type=pathlib.Path)
    words.add_argument("--dir", default=None)
    words.add_argument("--rounds", type=int, default=2)
    words.add_argument("--scale", type=float, default=1)
    return words.parse_args()


def sample(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit("%s ends with %d: %s" % (command, done.returncode, done.stderr[-500:]))
    return json.loads(done.stdout)


def median(samples, name):
    return statistics.median(one[name] for one in samples)


class Comparison:
    def __init__(self, options):
        self.ours = [str(options.foreign.resolve())]
        self.python = [sys.executable, str(HERE / "foreign_plain.py")]
        self.rounds = options.rounds
        self.missed = []
        self.idle = None

    def both(self, *arguments):
        """Medians of ours and of Python's, in turns."""
        ours, python = [], []
        for number in range(self.rounds):
            order = [(self.ours, ours), (self.python, python)]
            for command, samples in order if number % 2 == 0 else reversed(order):
                samples.append(sample([*command, *arguments]))
        return [{name: median(samples, name) for name in samples[0]} for samples in (ours, python)]

    def goal(self, what, reached):
        if not reached:
            self.missed.append(what)
        return "" if reached else " MISSED"

    def row(self, what, operation, path, *more):
        ours, python = self.both(operation, str(path), *more)
        print("| %s | %.0f ms | %.0f ms | %.2fx | %.1f MB | %.1f MB | %.1f MB |"
              % (what, ours["ms"], python["ms"], python["ms"] / ours["ms"], ours["peak_kib"] / 1024,
                 python["peak_kib"] / 1024, ours["read"] / 1e6), flush=True)
        return ours, python

    def rows(self, what, path, session, records, size):
        """Listing, import and one history of files of this size that have so many records."""
        ours, _ = self.row("%s: list" % what, "list", path)
        share = ours["read"] / size
        print("  listing read %.1f %% of the bytes" % (100 * share))
        ours, python = self.row("%s: import" % what, "import", path)
        each = (ours["peak_kib"] - self.idle) * 1024 / records
        ratio = python["ms"] / ours["ms"]
        print("  %d records; import %.2fx json.loads (goal 1.5)%s; %.0f bytes a record (goal 400)%s"
              % (records, ratio, self.goal(what + ": import", ratio >= 1.5), each,
                 self.goal(what + ": memory", each <= 400)))
        self.row("%s: one history" % what, "history", path, session)


def main():
    options = parse()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="foreign-", dir=options.dir))
    compare = Comparison(options)
    try:
        empty = folder / "empty" / "s.jsonl"
        empty.parent.mkdir()
        foreign_files.claude_code(empty, 1)
        compare.idle = sample([*compare.ours, "import", str(empty)])["peak_kib"]
        print("| what | sessionkit | Python | ratio | peak | Python's peak | read |\n|---|---|---|---|---|---|---|")
        claude = folder / "claude" / "cb657751-7b2e-5d69-978f-12be94b3db35.jsonl"
        claude.parent.mkdir()
        records = foreign_files.claude_code(claude, int(500_000_000 * options.scale))
        compare.rows("Claude Code, one file", claude, claude.stem, records, claude.stat().st_size)
        shutil.rmtree(claude.parent)
        codex = folder / "codex"
        records = foreign_files.codex(codex, int(10_000 * options.scale))
        files = list(codex.rglob("*.jsonl"))
        compare.rows("Codex, a tree", codex, files[0].stem[-36:], records, sum(path.stat().st_size for path in files))
        shutil.rmtree(codex)
        base = folder / "opencode.db"
        records = foreign_files.opencode(base, int(1_000_000_000 * options.scale), 200)
        base_rows = sqlite3.connect(base)
        (session,) = base_rows.execute("SELECT id FROM session ORDER BY time_created DESC, id DESC").fetchone()
        base_rows.close()
        compare.rows("opencode, a database", base, session, records, base.stat().st_size)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for one in compare.missed:
        print("missed: " + one)


if __name__ == "__main__":
    main()
