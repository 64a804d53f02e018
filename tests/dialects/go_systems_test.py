# SPDX-License-Identifier: MIT
"""Files that ai-panel and ZyHive wrote, and how these programs read them (tests/data/go-systems). We follow their
documents; where we differ from a program it has a bug, and each is listed here with its reason."""
import json
import unittest

from support import DATA, FormatTest  # first: it makes the oracles importable
import check_anthropic
import check_gemini
import check_responses
from readers import read_panel_index

CASES = [(system, case) for system in ("aipanel", "zyhive")
         for case in json.loads((DATA / "go-systems" / f"{system}.json").read_text())["cases"]]

# Messages that the program's reader returns (`read_messages`) and ours does not.
NOT_READ_SO = {
    ("zyhive", "orphan-tool-use-text"): "appends an answer at the end, although a user message is in between",
    ("zyhive", "trailing-tool-use"): "the reader appends an answer that is not in the file; ours is made for the request",
    ("zyhive", "compact-splits-tool-pair-2"): "appends a second answer to a call that was answered before the cut",
}
# The program appends its next line to a torn one and loses both; we read the second.
GLUED = "torn-tail-glued"
# Messages that the program sends (`runner_history`) and we do not.
NOT_SENT_SO = {
    "title-skips-assistant": "the first of two messages of the user is lost, and the request begins with the assistant",
    "consecutive-users": "the first of two messages of the user is lost",
    "consecutive-assistants": "the second of two answers is lost",
    "orphan-tool-use-text": "the call disappears (ai-panel), or the user's next words do (ZyHive); we answer it as interrupted",
    "orphan-tool-use-only": "dropping the call leaves two messages of the user in a row",
    "orphan-tool-result": "dropping the result leaves two messages of the assistant in a row",
    "partial-results": "one answer of two is taken for both: the API refuses the request",
    "split-results": "the first of two results in a row is lost, and its call stays unanswered",
    "trailing-tool-use": "the call disappears (ai-panel), or is answered in other words (ZyHive)",
    "empty-text-block": "blank text is sent as '.', which nobody said",
    "null-content": "an answer without content is sent as an empty array: the API refuses it",
    "starts-with-assistant": "the request begins with the assistant",
    "compaction-last-line": "the summary is ignored where no message follows it",
    "compact-21": "the cut leaves an answer without its question, which is lost after the invented acknowledgement",
    "compact-splits-tool-pair-2": "the cut falls between a call and its result; two messages of the assistant in a row",
    GLUED: "the message glued to a torn line is lost",
}
SUMMARY = "[Previous conversation summary]\n"


def plain(messages):
    """Strings and arrays of text are two spellings of one content."""
    out = []
    for message in messages or []:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else [dict(b) for b in content or []]
        for block in blocks:
            if block["type"] == "tool_result" and not isinstance(block["content"], str):
                block["content"] = "".join(piece["text"] for piece in block["content"])
        out.append((message["role"], blocks))
    return out


def messages_of(out):
    """The messages of a file, one after the other."""
    found = []
    for line in out["jsonl"]:
        try:
            entry = json.loads(line[max(line.rfind('{"type":"message"'), 0):])  # the line it was appended to is torn
        except ValueError:
            continue
        if isinstance(entry, dict) and entry.get("type") == "message" and "role" in entry.get("message", {}):
            found.append(entry["message"])
    return found


def user_text(message):
    content = message.get("content") or ""
    if message["role"] != "user":
        return ""
    return content if isinstance(content, str) else "".join(b["text"] for b in content if b["type"] == "text")


class GoSystems(FormatTest):
    def for_each(self, check):
        for system, case in CASES:
            with self.subTest(system=system, case=case["name"]):
                check(system, case["name"], case["out"], self.file_of(case["out"]["jsonl"]))

    def test_all_of_them_are_here(self):
        self.assertEqual(len(CASES), 76)
        self.assertLessEqual(set(NOT_SENT_SO), {case["name"] for _, case in CASES})

    def test_every_line_is_read_as_the_program_reads_it(self):
        def check(system, name, out, path):
            ours = self.history(path, "--mode", "faithful")
            if name == GLUED:
                self.assertEqual([words[0]["text"] for _, words in plain(ours["messages"])], ["u", "glued", "a"])
                return
            same = plain(ours["messages"]) == plain(out["read_messages"])
            self.assertEqual(same, (system, name) not in NOT_READ_SO)
            if not same:  # we read the same, except the answer they invented
                theirs = plain(out["read_messages"])
                self.assertEqual(plain(ours["messages"]), theirs[:-1])
                self.assertTrue(theirs[-1][1][0]["is_error"])
            self.assertEqual(ours["system"] or "", out["read_summary"])
        self.for_each(check)

    def test_requests_are_the_same_except_for_bugs(self):
        def check(_, name, out, path):
            ours = self.history(path)
            theirs = plain(out["runner_history"])
            if theirs and theirs[0][1][0].get("text", "").startswith(SUMMARY):
                summary = theirs[0][1][0]["text"][len(SUMMARY):]
                self.assertIn(summary, ours["system"])  # documented: a prefix of the system text
                theirs = theirs[2:]
            self.assertEqual(plain(ours["messages"]) == theirs, name not in NOT_SENT_SO)
        self.for_each(check)

    def test_requests_are_always_valid(self):
        def check(_, name, out, path):
            messages = self.history(path)["messages"]
            if messages:
                self.assertEqual(check_anthropic.check(messages, "strict", allow_prefill=True), [])
                responses = self.history(path, "--provider", "openai-responses")["input"]
                self.assertEqual(check_responses.check(responses, strict=True), [])
                gemini = self.history(path, "--provider", "gemini")["contents"]
                self.assertEqual(check_gemini.check(gemini, allow_prefill=True), [])
            self.say(path, "user", "And now?")
            self.assertEqual(check_anthropic.check(self.history(path)["messages"], "strict"), [])
        self.for_each(check)

    def test_the_title_is_the_first_30_characters_of_the_first_user_message(self):
        def check(_, name, out, path):
            title = json.loads(self.run_cli("show", path, "--json"))["session"]["title"] or ""
            said = [text for text in map(user_text, messages_of(out)) if text.strip()]
            self.assertEqual(title, said[0].strip()[:30].strip() if said else "")
            if out["index_entry"] and not name.startswith(("compact", "trim")):  # its title is older than the content of its file
                theirs = out["index_entry"].get("title", "")  # 60 characters in the code, 30 in the document
                self.assertEqual(title, theirs.rstrip("…")[:30].strip())
        self.for_each(check)

    def test_their_index_is_read_and_kept(self):
        def check(_, name, out, path):
            if not out["index_entry"]:
                return
            row = out["index_entry"]
            root = self.store_of({"ses-1.jsonl": out["jsonl"], "sessions.json": json.dumps({"sessions": {"ses-1": row}})})
            listed = json.loads(self.run_cli("ls", "--json", "--store", root))["sessions"]
            self.assertEqual([(one["id"], one["title"] or "") for one in listed], [("ses-1", row.get("title", ""))], name)
            self.run_cli("append", "ses-1", "--role", "assistant", "--text", "on", "--store", root)
            index = read_panel_index(root)["ses-1"]
            for member in ("id", "agentId", "filePath", "title", "source"):  # their times are zeroed
                self.assertEqual(index.get(member, ""), row.get(member, ""), name)
            self.assertEqual(index["messageCount"], listed[0]["messages"] + 1)
        self.for_each(check)

    def test_messages_are_counted_once(self):
        def check(system, name, out, path):
            count = json.loads(self.run_cli("show", path, "--json"))["session"]["messages"]
            lines = messages_of(out)
            again = 0  # ai-panel counts the copies after a compaction twice
            for line in out["jsonl"]:
                if system == "aipanel" and '"firstKeptEntryId":"turn-' in line:
                    again += 20
            unread = sum(1 for line in lines if line["role"] not in ("user", "assistant"))
            self.assertEqual(count, len(lines) - again - unread, name)
        self.for_each(check)


if __name__ == "__main__":
    unittest.main()
