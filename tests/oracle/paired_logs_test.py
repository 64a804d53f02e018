#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which call does a result answer? Logs in which each result names its call in its text (tests/support/paired_log.hpp), as log_bodies
reads them back: is each result paired with its own call in the request to each provider?

usage: paired_logs_test.py LOG_BODIES [--seed S] [--count N] [--jobs J]

Written from the words of docs/history.md, "Which call does a result answer?", and from nothing of the library. Exit 0 all is well / 1
something is not. What is wrong, by kind:
  refused   a provider's checker refuses the request
  swapped   a result is paired with a call that is not its own
  dropped   a result that can be read is not sent, and its call is answered as missing, or not sent either
  twice     a result is sent twice
  revived   a result of an answer that failed is sent, or a call of it
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
import check_anthropic  # noqa: E402
import check_gemini  # noqa: E402
import check_openai  # noqa: E402
import check_responses  # noqa: E402
import strict_json  # noqa: E402

INTERRUPTED = "[tool result missing: interrupted]"
OUT = re.compile(r"<out (\d+)>")


def words(value):
    """All text of a result, however it is nested."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# Each gives the calls of a request with their results: [(number, text)].

def of_anthropic(messages):
    results = {block["tool_use_id"]: words(block.get("content", "")) for message in messages
               for block in message["content"] if block["type"] == "tool_result"}
    return [(block["input"]["n"], results.get(block["id"])) for message in messages
            for block in message["content"] if block["type"] == "tool_use"]


def of_chat(messages):
    results = {message["tool_call_id"]: words(message["content"]) for message in messages if message["role"] == "tool"}
    return [(json.loads(call["function"]["arguments"])["n"], results.get(call["id"]))
            for message in messages for call in message.get("tool_calls", [])]


def of_responses(items):
    results = {item["call_id"]: words(item["output"]) for item in items if item.get("type") == "function_call_output"}
    return [(json.loads(item["arguments"])["n"], results.get(item["call_id"]))
            for item in items if item.get("type") == "function_call"]


def of_gemini(contents):
    calls, results = [], []
    for content in contents:
        for part in content["parts"]:
            if "functionCall" in part:
                calls.append(part["functionCall"]["args"]["n"])
            if "functionResponse" in part:
                results.append(words(part["functionResponse"]["response"]))
    return list(zip(calls, results + [None] * (len(calls) - len(results))))


PROVIDERS = {
    "anthropic": (of_anthropic, lambda b: check_anthropic.check(b["messages"], "strict", False, True)),
    "openai-chat": (of_chat, lambda b: check_openai.check(b["messages"], True)),
    "openai-responses": (of_responses, lambda b: check_responses.check(b["messages"], True)),
    "gemini": (of_gemini, lambda b: check_gemini.check(b["messages"], "strict", True, b["model"])),
}


def pairs_wrong(calls, pairs):
    """What is wrong with the pairs of one request; `calls` as the log says."""
    facts = {call["n"]: call for call in calls}
    sent = collections.Counter()
    for number, text in pairs:
        fact = facts.get(number)
        if fact is None:
            yield "revived", "call %d, which nobody can read" % number
            continue
        if fact.get("failed"):
            yield "revived", "call %d of a failed answer" % number
        found = [int(n) for n in OUT.findall(text or "")]
        sent.update(found)
        if any(n != number for n in found):
            yield "swapped", "call %d has the result of %s" % (number, found)
        elif not found and fact.get("result"):
            yield "dropped", "the result of call %d; in its place %r" % (number, text)
        elif not found and INTERRUPTED not in (text or ""):
            yield "dropped", "call %d has %r" % (number, text)
        elif found and not fact.get("result"):
            yield "swapped", "call %d has a result from nowhere" % number
    for number, times in sent.items():
        if times > 1:
            yield "twice", "the result of call %d" % number
        if facts.get(number, {}).get("failed"):
            yield "revived", "the result of call %d of a failed answer" % number
    numbers = [number for number, _ in pairs]
    for number, fact in facts.items():
        if fact.get("result") and not fact.get("failed") and number not in numbers:
            yield "dropped", "call %d and its result" % number
    if len(set(numbers)) != len(numbers):
        yield "twice", "a call in %s" % numbers


def check(log):
    for name, body in log["bodies"].items():
        read, refuse = PROVIDERS[name]
        if not body["messages"]:
            yield name, "dropped", "everything"
            continue
        faults = refuse(body)
        if faults:
            yield name, "refused", faults[:3]
            continue
        for kind, what in pairs_wrong(log["calls"], read(body["messages"])):
            yield name, kind, what


def run(program, seed, count):
    seen, wrong = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "--paired", "1", "--seed", str(seed), "--count", str(count), "--folder", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as logs:
            for line in logs.stdout:
                log, repeated = strict_json.loads(line)
                seen["logs"] += 1
                seen[log["format"]] += 1
                seen["damaged"] += bool(log["damage"])
                seen["calls"] += len(log["calls"])
                seen["results"] += sum(call.get("result", 0) for call in log["calls"])
                seen["of failed answers"] += sum(call.get("failed", 0) for call in log["calls"])
                seen["requests"] += len(log["bodies"])
                faults = list(check(log)) + [("all", "refused", "the member %r twice" % key) for key in repeated]
                for name, kind, what in faults:
                    wrong[kind] += 1
                    if wrong[kind] <= 5:
                        print("seed %d, %s, %s: %s" % (log["seed"], name, kind, what))
    if logs.returncode or seen["logs"] != count:
        print("log_bodies ended with %s after %d logs" % (logs.returncode, seen["logs"]))
        wrong["ended"] += 1
    print("seeds %d to %d: %s; wrong: %s" % (
        seed, seed + count - 1, ", ".join("%d %s" % (n, what) for what, n in sorted(seen.items())),
        ", ".join("%d %s" % (wrong[kind], kind) for kind in ("refused", "dropped", "swapped", "twice", "revived"))))
    return sum(wrong.values())


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
