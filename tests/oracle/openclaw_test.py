#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our pairing of calls and results compared with OpenClaw's own functions (tests/data/openclaw): equal, except the differences
that are listed here, each with its reason. Usage: openclaw_test.py PROGRAM DATA_DIR"""
import collections
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, DATA = "", Path()
CALLS = ("toolCall", "toolUse", "functionCall")
OURS = "[tool result missing: interrupted]"
THEIRS = ("[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.",
          "aborted")
NAME = re.compile(r"[A-Za-z0-9_:.-]{1,64}\Z")
FIRST = [("text", "user", text) for text in ("[conversation begins]", "[earlier conversation not available]")]


def load(name):
    return json.loads((DATA / (name + ".json")).read_text(encoding="utf-8"))["cases"]


def history(messages):
    """Our request for a session with these messages."""
    lines = [{"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"}]
    for i, message in enumerate(messages):
        lines.append({"type": "message", "id": "e%d" % i, "parentId": "e%d" % (i - 1) if i else None,
                      "timestamp": "2026-01-01T00:00:01.000Z", "message": message})
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))
        file.flush()
        run = subprocess.run([PROGRAM, "history", file.name, "--provider", "native", "--json"], capture_output=True,
                             timeout=60, check=True)
    return json.loads(run.stdout)["messages"]


def flat(messages):
    """The content in order, whatever messages contain it: texts, calls, results."""
    items = []
    for message in messages:
        role, content = message["role"], message["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if role == "toolResult":
            text = "".join(part["text"] for part in content if part["type"] == "text")
            missing = message["isError"] and (text == OURS or text in THEIRS)
            items.append(("result", message["toolCallId"], "missing" if missing else text, message["isError"]))
            continue
        for part in content:
            if part["type"] in CALLS:
                given = part.get("arguments", part.get("input")) or {}
                items.append(("call", part["id"], part.get("name"), json.dumps(given, sort_keys=True)))
            else:
                items.append(("text", role, part["text"]))
    return items


def calls_of(message):
    content = message["content"] if message["role"] == "assistant" else []
    return [part for part in content if isinstance(part, dict) and part["type"] in CALLS]


def stops(message, *reasons):
    return message["role"] == "assistant" and message.get("stopReason") in reasons


def without_given_up(messages):
    """Without failed or aborted messages, and their results."""
    kept, skipping = [], False
    for message in messages:
        skipping = stops(message, "error", "aborted") or (skipping and message["role"] == "toolResult")
        if not skipping:
            kept.append(message)
    return kept


def without_failed(messages):
    """Without failed answers and their results."""
    kept, skipping = [], False
    for message in messages:
        skipping = stops(message, "error") or (skipping and message["role"] == "toolResult")
        if not skipping:
            kept.append(message)
    return kept


def excused(messages):
    """The ids for which we differ from OpenClaw, by reason."""
    ids = collections.defaultdict(set)
    times = collections.Counter(part["id"] for message in messages for part in calls_of(message))
    ids["reused"] = {ident for ident, n in times.items() if n > 1}
    ids["empty"] = {""} & set(times)
    before = None
    for message in messages:
        calls = calls_of(message)
        for part in calls:
            ids["failed"] |= {part["id"]} if stops(message, "error") else set()
            ids["aborted"] |= {part["id"]} if stops(message, "aborted") else set()
        if calls and message["content"][0]["type"] in CALLS and before is not None and calls_of(before):
            ids["grouped"] |= {part["id"] for part in calls + calls_of(before)}
        if message["role"] == "toolResult":
            ids["aborted"].discard(message["toolCallId"])
        before = message if message["role"] == "assistant" else None
    return ids


def unfit(messages, allowed):
    """The ids of calls that repairToolCallInputs drops, or whose names it changes."""
    ids = collections.defaultdict(set)
    for message in messages:
        for part in calls_of(message):
            if "arguments" not in part and "input" not in part:
                ids["no arguments"].add(part["id"])
            if not NAME.match(part["name"]) or (allowed is not None and part["name"] not in allowed):
                ids["name"].add(part["id"])
    return ids


def rest(items, ids):
    """The rest without the calls of these ids and their results."""
    return [item for item in items if item[0] == "text" or re.sub(r"_again\d+$", "", item[1]) not in ids]


def calls_and_texts(items):
    return [item for item in items if item[0] != "result"]


def of_id(items, kind, ident):
    return [item for item in items if item[0] == kind and re.sub(r"_again\d+$", "", item[1]) == ident]


class Pairing(unittest.TestCase):
    """repairToolUseResultPairing."""

    REASONS = {
        "user_first": "providers refuse a history that begins with the assistant, so a message of the user is put there",
        "failed": "an answer that failed is no answer: it is not sent, nor are results to it",
        "aborted": "calls that were aborted and never ran leave; theirs stay without a result, which providers refuse",
        "reused": "every call is sent with its own result, under another id; theirs are left without a result, and fail",
        "empty": "a call without an id is sent with its result, or not at all; theirs is sent without a result",
        "grouped": "calls of neighbouring answers are one message, as roles must alternate; the results come after all",
    }

    @classmethod
    def setUpClass(cls):
        cls.cases = []
        cls.found = collections.Counter()
        for number, case in enumerate(load("tool_pairing")):
            messages, answer = case["input"], case["output"]
            if case.get("options", {}).get("erroredAssistantResultPolicy") == "drop":  # we have no such choice
                messages, answer = without_given_up(messages), without_given_up(answer)
            ours, theirs = flat(history(messages)), flat(without_failed(answer))
            ids = excused(messages)
            cls.cases.append((number, messages, ours, theirs, ids))
            cls.found.update(reason for reason, which in ids.items() if which)
            cls.found.update(["user_first"] if ours[0:1] and ours[0] in FIRST else [])

    def each(self, reason):
        for number, messages, ours, theirs, ids in self.cases:
            for ident in sorted(ids[reason]):
                with self.subTest(case=number, id=ident):
                    yield messages, ours, theirs, ident

    def test_all_else_is_equal(self):
        alone = compared = 0
        for number, _, ours, theirs, ids in self.cases:
            every = set().union(*ids.values())
            left = rest(theirs, every)
            compared += len(left)
            alone += not every
            with self.subTest(case=number):
                self.assertEqual([item for item in rest(ours, every) if item not in FIRST], left)
        self.assertEqual(len(self.cases), 60)
        self.assertGreater(compared, 700)
        print("%d cases, %d without any difference but the first message; %d texts, calls and results equal; cases with "
              "a difference: %s" % (len(self.cases), alone, compared, dict(self.found)))

    def test_every_difference_has_a_reason_and_every_reason_a_case(self):
        self.assertEqual(set(self.found), set(self.REASONS))

    def test_failed_answers_are_not_sent(self):
        for messages, ours, _, ident in self.each("failed"):
            kept = [part for message in messages if not stops(message, "error") for part in calls_of(message)
                    if part["id"] == ident]
            self.assertLessEqual(len(of_id(ours, "call", ident)), len(kept))

    def test_aborted_calls_leave_unless_they_were_answered(self):
        for messages, ours, theirs, ident in self.each("aborted"):
            if sum(part["id"] == ident for message in messages for part in calls_of(message)) > 1:
                continue
            self.assertEqual(of_id(ours, "call", ident), [])
            self.assertEqual(len(of_id(theirs, "call", ident)), 1)
            self.assertEqual(of_id(theirs, "result", ident), [])

    def test_every_call_has_one_result_and_an_id_of_its_own(self):
        for number, _, ours, _, _ in self.cases:
            calls = [item[1] for item in ours if item[0] == "call"]
            results = [item[1] for item in ours if item[0] == "result"]
            with self.subTest(case=number):
                self.assertEqual(len(set(calls)), len(calls))
                self.assertEqual(sorted(calls), sorted(results))

    def test_theirs_leaves_reused_and_empty_ids_without_results(self):
        short = sum(len(of_id(theirs, "call", ident)) > len(of_id(theirs, "result", ident))
                    for reason in ("reused", "empty") for _, _, theirs, ident in self.each(reason))
        self.assertGreater(short, 10)


class Inputs(unittest.TestCase):
    """repairToolCallInputs: it drops calls whose arguments are missing or whose name it does not know."""

    REASONS = {
        "no arguments": "a call without arguments was made, and its result follows it: it is sent with {}",
        "name": "a name the provider would refuse is made to fit, and which tools there are today does not change the past",
    }

    def test_all_else_is_equal(self):
        compared, found = 0, collections.Counter()
        for number, case in enumerate(load("tool_call_inputs")):
            messages = case["input"]
            ours = calls_and_texts(flat(history(messages)))
            theirs = calls_and_texts(flat(without_failed(case["output"])))
            dropped = unfit(messages, case.get("options", {}).get("allowedToolNames"))
            found.update(reason for reason, which in dropped.items() if which)
            every = set().union(*excused(messages).values(), *dropped.values())
            left = rest(theirs, every)
            compared += len(left)
            with self.subTest(case=number):
                self.assertEqual([item for item in rest(ours, every) if item not in FIRST], left)
                for ident in set().union(*dropped.values()) - set().union(*excused(messages).values()):
                    self.assertEqual(len(of_id(ours, "call", ident)), 1, ident)
        self.assertEqual(set(found), set(self.REASONS))
        self.assertGreater(compared, 150)
        print("30 cases, %d texts and calls equal; cases with a difference: %s" % (compared, dict(found)))


if __name__ == "__main__":
    PROGRAM, DATA = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=2)
