# SPDX-License-Identifier: MIT
"""Resumes exported sessions with the real program, and compares what it sends with our history and the prompt.

Usage: resume.py PROGRAM EXECUTABLE SESSIONS COUNT
PROGRAM is claude-code, codex, opencode or pi; SESSIONS is the folder that export_sessions has written.
All sessions of a program are in one home.
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import fake_provider
from compare_requests import COMPARE, KNOWN
from real_programs import PROGRAMS


def first_difference(mine, theirs):
    for i in range(max(len(mine), len(theirs))):
        a = mine[i] if i < len(mine) else None
        b = theirs[i] if i < len(theirs) else None
        if a != b:
            return "message %d\n  ours %s\n  sent %s" % (i, json.dumps(a)[:1500], json.dumps(b)[:1500])
    return ""


def check(program, compare, session):
    """What the program added, and what differs."""
    program.provider.requests.clear()
    try:
        code, output = program.resume(session)
    except subprocess.TimeoutExpired:
        return set(), "timed out"
    sent = program.sent()
    if sent is None:
        return set(), "no request; exit code %d: %s" % (code, output[-600:])
    lines = [json.loads(line) for content in session["files"].values() for line in content.split("\n") if line]
    mine, theirs, used = compare(session["request"], sent, lines)
    return used, "" if mine == theirs else first_difference(mine, theirs)


def check_all(kind, executable, sessions, home):
    """How many were equal."""
    equal, added = 0, collections.Counter()
    work = pathlib.Path(os.environ["EXPORT_CWD"])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    program = PROGRAMS[kind](executable, fake_provider.start(), home, work)
    program.prepare(sessions)
    for session in sessions:
        used, difference = check(program, COMPARE[kind], session)
        equal += not difference
        added.update([] if difference else used)
        print("%s\t%s\t%s\t%s" % (kind, session["name"], "DIFFERS" if difference else "equal",
                                  difference or ", ".join(sorted(used))), flush=True)
    for name, times in sorted(added.items()):
        print("  %d x %s: %s" % (times, name, KNOWN[name]))
    print("%s: %d of %d resumed sessions sent our history and the prompt" % (kind, equal, len(sessions)))
    return equal


def main():
    kind, executable, folder, count = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
    sessions = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))[:count]]
    home = tempfile.mkdtemp(prefix="resume-")
    try:
        equal = check_all(kind, executable, sessions, pathlib.Path(home))
    finally:
        shutil.rmtree(home, ignore_errors=True)  # the program may still write to it
    return 0 if sessions and equal == len(sessions) else 1


if __name__ == "__main__":
    sys.exit(main())
