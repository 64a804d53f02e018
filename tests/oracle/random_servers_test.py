#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random logs (tests/support/raw_log.hpp) as log_bodies reads them back: does every server of server.hpp accept the request
for it, by the rules of check_servers.py, and does the request contain the same texts, calls and results in the same order as
the request for OpenAI's own server, which random_logs_test.py compares with the log?

usage: random_servers_test.py LOG_BODIES [--seed S] [--count N] [--jobs J]

Exit 0 if all is well / 1 if not.
"""
import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_servers  # noqa: E402

MARK = re.compile(r"<[uasrt]\d+>")


def texts_of(content):
    if isinstance(content, str):
        return content
    return "\n\n".join(part.get("text", "") for part in content or [])


def said(messages):
    """The marks of texts with their roles, then calls with their arguments, names and results."""
    texts, calls, open_calls = [], [], {}
    for message in messages:
        role, text = message["role"], texts_of(message.get("content"))
        if role == "tool":
            open_calls[message["tool_call_id"]].append(MARK.findall(text))
            continue
        texts += [(role, mark) for mark in MARK.findall(text)]
        for call in message.get("tool_calls") or []:
            calls.append([call["function"]["name"], call["function"]["arguments"]])
            open_calls[call["id"]] = calls[-1]
    return texts, calls


def reasoning_of(messages):
    return [message.get("reasoning_content", "") for message in messages]


def once(items):
    """Equal neighbours once, whatever the results of calls."""
    return [item[:2] for i, item in enumerate(items) if i == 0 or item[:2] != items[i - 1][:2]]


def faults_of(name, body, wanted):
    faults = check_servers.check(name.replace("_", "-"), body["messages"], body["images"])
    if faults:
        yield "refused: %s" % (faults[:3],)
        return
    got = said(body["messages"])
    for what, ours, openai in zip(("texts", "calls"), got, wanted):
        if name == "deepseek":  # where reasoning is sent between two equal calls, they are not one call written twice
            ours, openai = once(ours), once(openai)
        if ours != openai:
            yield "other %s than for OpenAI: %s, not %s" % (what, ours, openai)
    if name != "deepseek" and any(reasoning_of(body["messages"])):
        yield "reasoning is sent"


def run(program, seed, count):
    """Checks this many logs; prints the faults and the totals."""
    seen, refused, wrong = collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "--seed", str(seed), "--count", str(count), "--folder", folder, "--servers", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as logs:
            for line in logs.stdout:
                log = json.loads(line)
                seen["logs"] += 1
                seen["damaged"] += bool(log["damage"])
                wanted = said(log["bodies"]["openai"]["messages"])
                for name, body in log["bodies"].items():
                    seen["requests"] += 1
                    seen["requests with reasoning"] += any(reasoning_of(body["messages"]))
                    for fault in faults_of(name, body, wanted):
                        refused += fault.startswith("refused")
                        wrong += 1
                        if wrong <= 20:
                            print("seed %d, %s: %s" % (log["seed"], name, fault))
    if logs.returncode or seen["logs"] != count:
        print("log_bodies ended with %s after %d logs" % (logs.returncode, seen["logs"]))
        wrong += 1
    print("seeds %d to %d: %s; %d refused, %d faults"
          % (seed, seed + count - 1, ", ".join("%d %s" % (n, what) for what, n in sorted(seen.items())), refused, wrong))
    return wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=2000)
    arguments.add_argument("--jobs", type=int, default=1)
    given = arguments.parse_args()
    if given.jobs == 1:
        return 1 if run(given.program, given.seed, given.count) else 0
    share = -(-given.count // given.jobs)
    parts = [(given.seed + i, min(share, given.count - i)) for i in range(0, given.count, share)]
    running = [subprocess.Popen([sys.executable, "-B", __file__, given.program, "--seed", str(seed), "--count", str(n)])
               for seed, n in parts]
    return max(abs(part.wait()) for part in running)


if __name__ == "__main__":
    sys.exit(main())
