# SPDX-License-Identifier: MIT
"""Requests as each program would send them: claw0's published rebuild, ZeroClaw's normalising (tests/data/zeroclaw), and the
rest by the rules of the providers."""
import json
import unittest

from support import DATA, FormatTest  # first: it makes the oracles importable
import check_anthropic

ZEROCLAW = [case for case in json.loads((DATA / "zeroclaw" / "zeroclaw.json").read_text())["cases"]
            if case["name"].startswith("norm-")]
# ZeroClaw's result for rows that our logs may contain, where ours differs.
NOT_NORMALISED_SO = {"norm-tool-rows": "its profile stores no tool traffic, so none is seen; its reader would not filter it"}


def log_of(rows):
    """pi's lines for rows that ZeroClaw's table may contain."""
    yield {"type": "session", "version": 3, "id": "z", "timestamp": "2026-02-24T10:00:00.000Z", "cwd": "/"}
    parent = None
    for number, role, content in rows:
        message = {"role": role, "content": content}
        if role == "tool":
            message = {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "n",
                       "content": [{"type": "text", "text": content}], "isError": False}
        yield {"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": "2026-02-24T10:00:01.000Z",
               "message": message}
        parent = f"e{number}"


def texts(messages):
    return [(m["role"], m["content"] if isinstance(m["content"], str) else "".join(b["text"] for b in m["content"]))
            for m in messages]


class Profiles(FormatTest):
    def test_zeroclaw_joins_neighbours_of_one_role(self):
        self.assertEqual(len(ZEROCLAW), 11)
        for case in ZEROCLAW:
            with self.subTest(case["name"]):
                rows = [op[1:] for op in case["ops"] if op[0] == "row"]
                path = self.file_of([json.dumps(line) for line in log_of(rows)])
                expected = [(m["role"], m["content"]) for m in case["out"]["normalized"]]
                ours = texts(self.history(path, "--profile", "zeroclaw")["messages"])
                self.assertEqual(ours == expected, case["name"] not in NOT_NORMALISED_SO)
                if case["name"] in NOT_NORMALISED_SO:
                    self.assertEqual(ours, [row for row in expected if row[0] != "tool"])

    def test_zeroclaw_sees_no_tool_traffic(self):
        for name in ("tool_calls", "simple_chat"):
            path = DATA / "pi" / f"{name}.jsonl"
            messages = self.history(path, "--profile", "zeroclaw")["messages"]
            blocks = [b["type"] for m in messages if not isinstance(m["content"], str) for b in m["content"]]
            self.assertNotIn("tool_use", blocks)
            self.assertNotIn("tool_result", blocks)
            self.assertTrue(messages)
            valid = self.history(path, "--profile", "zeroclaw", "--mode", "valid")["messages"]
            self.assertEqual(check_anthropic.check(valid, "strict", allow_prefill=True), [])

    def test_claw0_regroups_as_published(self):
        for case in sorted((DATA / "flat").iterdir()):
            with self.subTest(case.name):
                ours = self.history(case / "transcript.jsonl", "--profile", "claw0")["messages"]
                self.assertEqual(ours, json.loads((case / "messages.json").read_text()))

    def test_the_mode_may_be_chosen_all_the_same(self):
        for case in sorted((DATA / "flat").iterdir()):
            path = case / "transcript.jsonl"
            self.assertEqual(self.history(path, "--profile", "claw0", "--mode", "valid"), self.history(path))

    def test_the_others_send_valid_requests(self):
        for name in ("tool_calls", "compaction_twice"):
            path = DATA / "pi" / f"{name}.jsonl"
            plain = self.history(path)
            for profile in ("native", "ai_panel", "zyhive", "ephemeral"):
                self.assertEqual(self.history(path, "--profile", profile), plain)

    def test_blades_writes_its_own_words_before_a_summary_and_zeroclaw_its_own(self):
        for name in ("simple_chat", "compaction_twice"):
            path = DATA / "pi" / f"{name}.jsonl"
            plain = self.history(path)
            head, _, summary = (plain["system"] or "").partition("<summary>\n")
            for profile, prefix in (("blades", "[历史摘要] "), ("zeroclaw", "[Session Compaction Summary]\n")):
                theirs = self.history(path, "--profile", profile, "--mode", "valid")
                expected = prefix + summary.removesuffix("\n</summary>") if head else ""
                self.assertEqual(theirs["system"] or "", expected)
                if profile == "blades":
                    self.assertEqual(theirs["messages"], plain["messages"])


if __name__ == "__main__":
    unittest.main()
