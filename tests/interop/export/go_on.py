# SPDX-License-Identifier: MIT
"""The real programs go on with exported sessions for two turns with a tool, and we import what they leave.

Usage: go_on.py PROGRAM EXECUTABLE SESSIONS COUNT SESSIONKIT
The session is imported before the program sees it, after its two turns, and once more when the file is old. Each
import must append to the one before: nothing of ours changes, and the prompts, calls, results and answers follow.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import fake_provider
from real_programs import PROGRAMS

PROMPTS = ["Say it with a tool, please. %s" % fake_provider.CALL_A_TOOL,
           "And say it once more. %s" % fake_provider.CALL_A_TOOL]
MADE = "made-by-the-tool-"


def imported(sessionkit, path, store, session):
    """The lines of the session in our store after another import."""
    done = subprocess.run([sessionkit, "import", str(path), "--store", str(store)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, check=False)
    # 5: what the file says and entries cannot represent was listed.
    if done.returncode not in (0, 5):
        raise AssertionError("import ends with %d: %s" % (done.returncode, done.stdout.decode()[-600:]))
    return (store / (session["id"] + ".jsonl")).read_text(encoding="utf-8").split("\n")[:-1]


def path_of(lines):
    """The entries from the root to the last one."""
    entries = [json.loads(line) for line in lines]
    by_id = {entry["id"]: entry for entry in entries[1:]}
    path, at = [], entries[-1]
    while at:
        path.append(at)
        at = by_id.get(at.get("parentId"))
    return path[::-1]


def facts_of(entries):
    """What was said and done, without text that a program added: kind and text."""
    facts = []
    for entry in entries:
        message = entry.get("message") or {}
        content = message.get("content") or []
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] == "toolCall":
                facts.append(("call", json.dumps(block["arguments"])))
            elif block["type"] == "text":
                facts.append((message["role"], block["text"]))
    return facts


def expected(facts, prompts):
    """What is missing of two turns: a prompt, a call, the result that the tool made, and an answer."""
    wanted = []
    for prompt in prompts:
        wanted += [("user", prompt), ("call", "echo " + MADE), ("toolResult", MADE), ("assistant", "Understood.")]
    for kind, text in facts:
        if wanted and kind == wanted[0][0] and text.strip('"').find(wanted[0][1].strip('"')) >= 0:
            wanted.pop(0)
    return wanted


def grow_old(left):
    """As if the program had not written for an hour."""
    an_hour_ago = time.time() - 3600
    for path in left.parent.glob(left.name + "*"):
        os.utime(path, (an_hour_ago, an_hour_ago))


def append_only(before, after, when):
    if after[:len(before)] != before:
        at = next(i for i, line in enumerate(before) if i >= len(after) or line != after[i])
        raise AssertionError("%s, line %d of ours is another one:\n  %s\n  %s"
                             % (when, at + 1, before[at][:600], (after + [""])[at][:600]))


def go_on(program, session, sessionkit, store):
    code, text = program.bring(session)
    if code != 0:
        raise AssertionError("exit code %d: %s" % (code, text[-600:]))
    left = program.left(session)
    grow_old(left)
    before = imported(sessionkit, left, store, session)
    ours = left.read_bytes() if left.suffix == ".jsonl" else b""
    for prompt in PROMPTS:
        code, text = program.say(session, prompt)
        if code != 0:
            raise AssertionError("exit code %d: %s" % (code, text[-600:]))
    if left.suffix == ".jsonl" and not left.read_bytes().startswith(ours):
        raise AssertionError("the program changed the file that we wrote")
    after = imported(sessionkit, left, store, session)
    append_only(before, after, "after the turns")
    grow_old(left)
    later = imported(sessionkit, left, store, session)
    append_only(after, later, "later")
    path = path_of(later)
    tip = json.loads(before[-1])["id"]
    ids = [entry["id"] for entry in path]
    if tip not in ids:
        raise AssertionError("the new entries do not follow our last one, " + tip)
    facts = facts_of(path[ids.index(tip) + 1:])
    missing = expected(facts, PROMPTS)
    if missing:
        raise AssertionError("missing after ours: %s of %s" % (missing[0], facts))
    return len(later) - len(before)


def main():
    kind, executable, folder, count, sessionkit = sys.argv[1:6]
    sessions = [json.loads(path.read_text(encoding="utf-8"))
                for path in sorted(pathlib.Path(folder).glob("*.json"))[:int(count)]]
    home = pathlib.Path(tempfile.mkdtemp(prefix="go-on-"))
    work = pathlib.Path(os.environ["EXPORT_CWD"])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    good = 0
    try:
        program = PROGRAMS[kind](executable, fake_provider.start(), home, work)
        program.prepare(sessions)
        for number, session in enumerate(sessions):
            try:
                added = go_on(program, session, sessionkit, home / ("ours-%d" % number))
                print("%s\t%s\tcontinued with %d entries" % (kind, session["name"], added), flush=True)
                good += 1
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                print("%s\t%s\tFAILS\t%s" % (kind, session["name"], failure), flush=True)
    finally:
        shutil.rmtree(home, ignore_errors=True)  # the program may still write to it
    print("%s: %d of %d sessions went on for two turns with a tool and were imported again" % (kind, good, len(sessions)))
    return 0 if sessions and good == len(sessions) else 1


if __name__ == "__main__":
    sys.exit(main())
