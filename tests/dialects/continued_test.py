# SPDX-License-Identifier: MIT
"""Files in the formats of other programs, continued by ours, read by independent readers."""
import json
import unittest

from readers import lines_of, read_flat, read_panel, read_pi, words
from support import DATA, FormatTest

FLAT = DATA / "flat" / "04-text-then-tool" / "transcript.jsonl"
PANEL = [
    '{"type":"session","version":3,"agentId":"python-reviewer","createdAt":1708300000000}',
    '{"type":"message","message":{"role":"user","content":"你好，介绍一下自己"},"timestamp":1708300001000}',
    '{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"我是..."}]},"timestamp":1708300002000}',
    '{"type":"compaction","summary":"用户询问了模型身份","firstKeptEntryId":"msg-11","tokensBefore":80000,"tokensAfter":5000,'
    '"timestamp":1708300100000}',
    '{"type":"message","message":{"role":"user","content":"继续分析这段代码"},"timestamp":1708300101000}',
]
WORDS = ["plain", "two\nlines\r\n\ttab \"quoted\" \\ back", "\u2028between\u2029\u0085", "日本語 👩‍👩‍👧 🦀", "\x01\x7f", " "]
# A plain conversation of pi's loses nothing but its reasoning.
PI = ["simple_chat", "tool_calls", "branches_labels", "unicode_images", "edge_crlf_blank_lines"]


class Continued(FormatTest):
    def test_a_flat_file_continues_in_its_own_lines(self):
        path = self.copy(FLAT)
        before = path.read_bytes()
        header, said = read_flat(path)
        for i, text in enumerate(WORDS):
            role = ("user", "assistant")[i % 2]
            self.say(path, role, text)
            said.append((role, [("text", text)]))
        self.assertEqual(read_flat(path), (header, said))
        self.assertTrue(path.read_bytes().startswith(before))
        self.assertEqual({e["type"] for e in lines_of(path)}, {"session", "user", "assistant", "tool_use", "tool_result"})

    def test_a_panel_file_continues_in_its_own_lines(self):
        path = self.file_of(PANEL)
        before = path.read_bytes()
        header, summary, said = read_panel(path)
        for i, text in enumerate(WORDS):
            role = ("assistant", "user")[i % 2]
            self.say(path, role, text)
            said.append((role, [("text", text)]))
        self.assertEqual(read_panel(path), (header, summary, said))
        self.assertTrue(path.read_bytes().startswith(before))
        self.assertNotIn("id", [key for e in lines_of(path) for key in e])

    def test_a_torn_last_line_costs_itself_only(self):
        flat, panel = FLAT.read_bytes(), "".join(line + "\n" for line in PANEL).encode()
        for content, read in ((flat, read_flat), (panel, read_panel)):
            last = content.rstrip(b"\n").rfind(b"\n") + 1
            for cut in range(last + 1, len(content) - 2, 7):
                path = self.folder / "torn.jsonl"
                path.write_bytes(content[:last])
                expected = read(path)[-1] + [("user", [("text", "on")])]
                path.write_bytes(content[:cut])
                self.say(path, "user", "on")
                self.assertEqual(read(path)[-1], expected)

    def converted(self, name, to):
        source = DATA / "pi" / f"{name}.jsonl"
        out = self.folder / f"{name}.{to}.jsonl"
        self.run_cli("convert", source, "--to", to, "-o", out, or_code=5)
        return source, out

    def test_converted_files_of_pi_have_the_same_content(self):
        for name in PI:
            with self.subTest(name, to="flat"):
                source, out = self.converted(name, "flat")
                self.assertEqual(words(read_flat(out)[1]), words(read_pi(source), leave_out=["thinking"]))
            with self.subTest(name, to="panel"):
                source, out = self.converted(name, "panel")
                self.assertEqual(words(read_panel(out)[2]), words(read_pi(source)))

    def test_a_converted_file_is_continued_and_says_the_same_to_a_model(self):
        for name in ("simple_chat", "tool_calls"):
            for to in ("flat", "panel"):
                source, out = self.converted(name, to)
                reader = read_flat if to == "flat" else read_panel
                said = reader(out)[-1]
                self.say(out, "user", "And now?")
                self.assertEqual(reader(out)[-1], said + [("user", [("text", "And now?")])])

    def test_no_result_of_a_whole_group_of_calls_is_lost_on_ai_panels_way_to_the_model(self):
        source, out = self.converted("tool_calls", "panel")
        said = read_panel(out)[2]
        # pkg/runner: of several consecutive user messages the last one is kept.
        kept = [m for i, m in enumerate(said) if m[0] != "user" or said[i + 1:i + 2] == [] or said[i + 1][0] != "user"]
        for i, (role, blocks) in enumerate(kept[:-1]):
            calls = {block[1] for block in blocks if block[0] == "call"}
            if role == "assistant" and len(calls) > 1 and any(b[0] == "result" for b in kept[i + 1][1]):
                self.assertEqual({b[1] for b in kept[i + 1][1] if b[0] == "result"}, calls)
        found = [block[1] for _, blocks in kept for block in blocks if block[0] == "result"]
        self.assertEqual(len(found), 6)  # of pi's seven; the user spoke before the second of two calls was answered

    def test_nothing_ends_a_line_for_claw0_that_is_none(self):
        path = self.folder / "flat.jsonl"
        path.write_bytes(FLAT.read_bytes())
        before = len(path.read_text().splitlines())
        for text in ("a\u2028b", "a\u2029b", "a\u0085b"):
            self.say(path, "user", text)
            before += 1
            self.assertEqual(len(path.read_text().splitlines()), before)  # as its code reads
            self.assertEqual(read_flat(path)[1][-1], ("user", [("text", text)]))

    def test_a_compaction_reads_the_same_in_panel_lines(self):
        source, out = self.converted("compaction_twice", "panel")
        compactions = [e for e in lines_of(source) if e["type"] == "compaction"]
        _, summary, said = read_panel(out)
        self.assertEqual(summary, compactions[-1]["summary"])
        way = words(read_pi(source))
        # The file contains the whole conversation; the part that counts is what pi sends, except its summary.
        self.assertEqual(words(said), way[-len(words(said)):])
        sent = json.loads((DATA / "pi" / "compaction_twice.llm.json").read_text())[1:]
        texts = [text for m in sent if m["role"] != "toolResult" for text in
                 ([m["content"]] if isinstance(m["content"], str) else
                  [b["text"] for b in m["content"] if b["type"] == "text"])]
        self.assertEqual([block[1] for _, block in words(said) if block[0] == "text"], texts)


if __name__ == "__main__":
    unittest.main()
