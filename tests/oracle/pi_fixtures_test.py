#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sessions that pi wrote (tests/data/pi), read by our program: does it read what pi reads, and is its request
acceptable? Usage: pi_fixtures_test.py PROGRAM DATA_DIR"""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_anthropic  # noqa: E402
import check_gemini  # noqa: E402
import check_openai  # noqa: E402
import check_responses  # noqa: E402

PROGRAM, DATA = "", Path()

# Their damage hides entries from pi, but not from us: pi's messages are a subsequence of ours.
DAMAGED = {
    "edge_malformed_middle": "bad_json",
    "edge_torn_tail": "torn_tail",
    "edge_compaction_firstkept_missing": "missing_first_kept",
}
BRANCH = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n%s</summary>"
COMPACTION = ("The conversation history before this point was compacted into the following summary:\n\n"
              "<summary>\n%s\n</summary>")


def run(*arguments, text=None):
    """Exit status and standard output."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, encoding="utf-8",
                          errors="surrogatepass", timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def document(*arguments):
    code, out, err = run(*arguments)
    if code != 0:
        raise AssertionError("exit %d: %s\n%s" % (code, " ".join(map(str, arguments)), err))
    return json.loads(out)


def history(path, mode, provider, *more):
    return document("history", path, "--mode", mode, "--provider", provider, *more)


def names():
    return sorted(path.name[:-len(".expect.json")] for path in DATA.glob("*.expect.json"))


def load(name, kind):
    return json.loads((DATA / ("%s.%s" % (name, kind))).read_text(encoding="utf-8"))


def bash_text(message):
    text = "Ran `%s`\n" % message["command"]
    text += "```\n%s\n```" % message["output"] if message["output"] else "(no output)"
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif message.get("exitCode") not in (None, 0):
        text += "\n\nCommand exited with code %d" % message["exitCode"]
    if message.get("truncated") and message.get("fullOutputPath"):
        text += "\n\n[Output truncated. Full output: %s]" % message["fullOutputPath"]
    return text


def convert_to_llm(messages):
    """pi's convertToLlm, from the description of its format."""
    out = []
    for message in messages:
        role, content = message["role"], None
        if role in ("user", "assistant", "toolResult"):
            out.append(message)
        elif role == "bashExecution" and not message.get("excludeFromContext"):
            content = bash_text(message)
        elif role == "custom":
            content = message["content"]
        elif role == "branchSummary":
            content = BRANCH % message["summary"]
        elif role == "compactionSummary":
            content = COMPACTION % message["summary"]
        if content is not None:
            if isinstance(content, str):
                content = [{"type": "text", "text": content}]
            out.append({"role": "user", "content": content, "timestamp": message["timestamp"]})
    return out


def is_subsequence(some, all_):
    rest = iter(all_)
    return all(any(one == other for other in rest) for one in some)


class PiFixtures(unittest.TestCase):
    maxDiff = 4000

    def each(self, check):
        """Calls `check` with the name and the file of each session."""
        found = names()
        self.assertEqual(len(found), 17)
        for name in found:
            with self.subTest(session=name):
                check(name, DATA / (name + ".jsonl"))

    def same_messages(self, name, ours, theirs):
        if name in DAMAGED:
            self.assertTrue(is_subsequence(theirs, ours))
        else:
            self.assertEqual(ours, theirs)

    def test_the_faithful_history_equals_pis_request(self):
        self.each(lambda name, path: self.same_messages(name, history(path, "faithful", "native")["messages"],
                                                        load(name, "llm.json")))

    def test_the_history_of_every_tip_equals_pis_request(self):
        tips = []

        def check(name, path):
            if not (DATA / (name + ".tips.json")).exists():
                return
            for leaf, context in load(name, "tips.json").items():
                with self.subTest(leaf=leaf):
                    ours = history(path, "faithful", "native", "--leaf", leaf)["messages"]
                    self.same_messages(name, ours, convert_to_llm(context["messages"]))
                    tips.append(leaf)

        self.each(check)
        self.assertGreater(len(tips), 10)

    def check_tree(self, name, path):
        ours, theirs = document("tree", path, "--json"), load(name, "expect.json")
        self.assertEqual(ours["labels"], theirs["labels"])
        self.assertEqual(ours["title"], theirs["sessionName"])
        self.assertEqual(len(ours["entries"]), theirs["entryCount"])
        self.assertEqual(ours["path"][-1], ours["leaf"])
        if name == "legacy_v1":  # its entries have no ids: pi makes random ones
            self.assertEqual(len(ours["path"]), len(theirs["pathIds"]))
            self.assertEqual([entry["id"] for entry in ours["entries"]], ours["path"])
            return
        self.assertEqual(ours["leaf"], theirs["leafId"])
        if name in DAMAGED:  # for pi, a path ends where an entry is missing
            self.assertEqual(ours["path"][-len(theirs["pathIds"]):], theirs["pathIds"])
        else:
            self.assertEqual(ours["path"], theirs["pathIds"])

    def test_leaf_labels_title_and_path_are_those_of_pi(self):
        self.each(self.check_tree)

    def check_findings(self, name, path):
        code, out, err = run("verify", path, "--json")
        findings = json.loads(out)["findings"]
        if name not in DAMAGED:
            self.assertEqual((code, findings), (0, []), err)
            return
        self.assertEqual(code, 5, err)
        data = path.read_bytes()
        first = next(finding for finding in findings if finding["kind"] == DAMAGED[name])
        begin, piece = first["offset"], data[first["offset"]:first["offset"] + first["length"]]
        self.assertEqual(data[begin - 1:begin], b"\n")
        self.assertEqual(data[:begin].count(b"\n") + 1, first["line"])
        if DAMAGED[name] == "missing_first_kept":
            self.assertEqual(json.loads(piece)["type"], "compaction")
        else:
            self.assertRaises(ValueError, json.loads, piece)

    def test_verify_locates_damage_and_finds_none_elsewhere(self):
        self.each(self.check_findings)

    def assert_accepted(self, path, prefill):
        anthropic = history(path, "valid", "anthropic")["messages"]
        self.assertEqual(check_anthropic.check(anthropic, "strict", False, prefill), [])
        self.assertEqual(check_openai.check(history(path, "valid", "openai-chat")["messages"], True), [])
        responses = history(path, "valid", "openai-responses", "--system", "Be brief.")
        self.assertEqual(list(responses), ["system", "input"])
        self.assertEqual(check_responses.check(responses["input"], strict=True), [])
        self.assertEqual(check_responses.check_system(responses["system"]), [])
        for model in ("", "gemini-2.5-pro", "gemini-3-pro-preview"):
            gemini = history(path, "valid", "gemini", "--model", model, "--system", "Be brief.")
            self.assertEqual(list(gemini), ["system", "contents"])
            self.assertEqual(check_gemini.check(gemini["contents"], "strict", prefill, model), [])
            self.assertEqual(check_gemini.check_system(gemini["system"]), [])

    def test_valid_history_is_accepted(self):
        self.each(lambda _, path: self.assert_accepted(path, prefill=True))

    def check_request(self, _, path):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / path.name
            shutil.copyfile(path, copy)
            code, out, err = run("append", copy, "--role", "user", "--text", "-", text="And now?")
            self.assertEqual(code, 0, err)
            self.assertTrue(out.strip())
            self.assertTrue(copy.read_bytes().startswith(path.read_bytes()), "the file was rewritten")
            self.assert_accepted(copy, prefill=False)
            last = history(copy, "valid", "anthropic")["messages"][-1]
            self.assertEqual((last["role"], last["content"][-1]["text"]), ("user", "And now?"))

    def test_valid_history_is_accepted_as_a_request_once_the_user_spoke(self):
        self.each(self.check_request)


if __name__ == "__main__":
    PROGRAM, DATA = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=2)
