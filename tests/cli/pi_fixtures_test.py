# SPDX-License-Identifier: MIT
"""Sessions that pi 0.73.1 wrote, with what pi itself made of them (tests/data/README.md)."""
import json
import pathlib
import subprocess
import sys
import unittest

from support import HERE, PI, ProgramTest, texts

NAMES = sorted(p.stem for p in PI.glob("*.jsonl"))
# A lost line ends pi's walk; ours goes on behind it.
CUT_SHORT = {"edge_malformed_middle"}
DAMAGED = CUT_SHORT | {"edge_torn_tail", "edge_compaction_firstkept_missing"}
ORACLES = HERE.parent / "oracles"


def load(name, kind):
    path = PI / f"{name}.{kind}.json"
    return json.loads(path.read_text()) if path.exists() else None


def text_block(text):
    return {"type": "text", "text": text}


def convert_to_llm(message):
    """pi's rule for what of a context goes to a model (research: format page, section b)."""
    role = message["role"]
    if role == "bashExecution":
        if message.get("excludeFromContext"):
            return None
        text = f"Ran `{message['command']}`\n"
        text += f"```\n{message['output']}\n```" if message["output"] else "(no output)"
        if message.get("cancelled"):
            text += "\n\n(command cancelled)"
        elif message.get("exitCode"):
            text += f"\n\nCommand exited with code {message['exitCode']}"
        if message.get("truncated") and message.get("fullOutputPath"):
            text += f"\n\n[Output truncated. Full output: {message['fullOutputPath']}]"
        return {"role": "user", "content": [text_block(text)]}
    if role == "custom":
        return {"role": "user", "content": message["content"]}
    if role == "branchSummary":
        return {"role": "user", "content": [text_block(
            "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
            + message["summary"] + "</summary>")]}
    if role == "compactionSummary":
        return {"role": "user", "content": [text_block(
            "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
            + message["summary"] + "\n</summary>")]}
    return message if role in ("user", "assistant", "toolResult") else None


def shape(message):
    """Role, blocks, ids, arguments, results: what both sides must agree on."""
    content = message["content"]
    out = {"role": message["role"], "content": [text_block(content)] if isinstance(content, str) else content}
    if message["role"] == "toolResult":
        out.update({key: message[key] for key in ("toolCallId", "toolName", "isError")})
    return out


def for_each_session(test):
    def run(self):
        for name in NAMES:
            with self.subTest(name):
                test(self, name)
    return run


class PiFixtures(ProgramTest):
    def history(self, name, *args):
        run = self.ok("history", PI / f"{name}.jsonl", *args)
        return json.loads(run.out)["messages"]

    def faithful(self, name, *args):
        return [shape(m) for m in self.history(name, "--provider", "native", "--mode", "faithful", *args)]

    def check_same(self, name, ours, expected):
        if name not in CUT_SHORT:
            self.assertEqual(ours, expected)
            return
        rest = iter(ours)
        self.assertTrue(all(message in rest for message in expected), "pi's messages are not all among ours, in order")

    def test_all_of_them_are_here(self):
        self.assertEqual(len(NAMES), 17)
        self.assertGreater(sum(len(load(name, "tips") or {}) for name in NAMES), 10)

    @for_each_session
    def test_the_faithful_native_history_is_what_pi_sends(self, name):
        self.check_same(name, self.faithful(name), [shape(m) for m in load(name, "llm")])

    @for_each_session
    def test_every_tip_has_pis_context(self, name):
        for tip, context in (load(name, "tips") or {}).items():
            expected = [shape(m) for m in map(convert_to_llm, context["messages"]) if m is not None]
            self.check_same(name, self.faithful(name, "--leaf", tip), expected)

    @for_each_session
    def test_leaf_labels_title_path_and_tips_are_pis(self, name):
        tree = self.ok("tree", PI / f"{name}.jsonl", "--json").json
        expected = load(name, "expect")
        self.assertEqual(tree["title"], expected["sessionName"])
        if name == "legacy_v1":  # pi makes ids up for these, others in each run
            self.assertEqual(len(tree["path"]), len(expected["pathIds"]))
            return
        self.assertEqual(tree["leaf"], expected["leafId"])
        self.assertEqual(tree["labels"], expected["labels"])
        if name not in CUT_SHORT:
            self.assertEqual(tree["path"], expected["pathIds"])
            self.assertEqual(tree["tips"], expected["tips"])
            self.assertEqual(len(tree["entries"]), expected["entryCount"])

    def check_with(self, oracle, name, *flags):
        messages = json.dumps(self.history(name, "--provider", "openai-chat" if oracle == "check_openai" else "anthropic"))
        done = subprocess.run([sys.executable, "-B", ORACLES / f"{oracle}.py", *flags, "-"], input=messages, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @for_each_session
    def test_the_valid_history_is_one_the_providers_accept(self, name):
        self.check_with("check_anthropic", name, "--mode", "strict", "--allow-prefill")
        self.check_with("check_openai", name, "--strict")

    @for_each_session
    def test_it_can_be_sent_once_the_user_goes_on(self, name):
        copy = self.fixture(f"{name}.jsonl")
        self.say(copy, "user", "And now?")
        messages = self.ok("history", copy).out
        done = subprocess.run([sys.executable, "-B", ORACLES / "check_anthropic.py", "--mode", "strict", "-"], input=messages,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(texts(json.loads(messages)["messages"])[-1][-8:], "And now?")

    @for_each_session
    def test_verify_locates_damage_and_finds_none_where_there_is_none(self, name):
        run = self.run_cli("verify", PI / f"{name}.jsonl", "--json")
        self.assertEqual(run.code, 5 if name in DAMAGED else 0, run)
        content = (PI / f"{name}.jsonl").read_bytes()
        for finding in run.json["findings"] + run.json["notices"]:
            self.assertLessEqual(finding["offset"] + finding["length"], len(content))
            self.assertEqual(finding["line"], content[:finding["offset"]].count(b"\n") + 1)

    def test_a_torn_tail_is_found_where_the_last_line_begins(self):
        torn = self.run_cli("verify", PI / "edge_torn_tail.jsonl", "--json").json["findings"]
        content = (PI / "edge_torn_tail.jsonl").read_bytes()
        self.assertEqual([(f["kind"], f["offset"]) for f in torn], [("torn_tail", content.rfind(b"\n") + 1)])


if __name__ == "__main__":
    unittest.main()
