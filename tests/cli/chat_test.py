# SPDX-License-Identifier: MIT
"""The chat example keeps its conversations."""
import json
import re
import unittest

from support import CHAT, PI, ProgramTest, Run


class Chat(ProgramTest):
    def chat(self, *args, stdin=""):
        run = Run(self.run_program(*args, stdin=stdin, program=CHAT))
        self.assertEqual((run.code, run.err), (0, ""), run)
        return run.out

    def test_without_a_person_it_plays_its_script_and_restarts(self):
        out = self.chat()
        before, after = out.split("-- Restart")
        self.assertIn("New session", before)
        self.assertIn('[read_file {"path":"config.json"}]', before)
        self.assertIn('It says: {"key": "value", "retries": 3}', before)
        self.assertIn("Restored: 2 previous turns", after)
        self.assertIn('First you said: "What is in config.json?"', after)
        ours, pis = after.split("-- A session that pi wrote")
        self.assertIn("Restored: 2 previous turns", pis)
        self.assertIn("Use `ls -lS`.", pis)
        self.assertIn('First you said: "How do I list files by size?"', pis)
        self.assertNotIn("New session", after)

        again = self.chat()
        self.assertTrue(again.startswith("Restored: 4 previous turns\n"), again)
        self.assertEqual(self.ok("ls").out.count("\n"), 1)

    def check_requests(self, out, least):
        """Each request begins with the bytes of the one before, except its closing brackets: at most ]}]."""
        lines = [line for line in out.splitlines() if line.startswith("request ")]
        self.assertGreaterEqual(len(lines), least)
        sizes = [int(re.match(r"request \d+: (\d+) bytes", line).group(1)) for line in lines]
        for line, size, before in zip(lines[1:], sizes[1:], sizes):
            begins = re.search(r"begins with the (\d+) bytes of the one before", line)
            self.assertTrue(begins, line)
            self.assertGreaterEqual(int(begins.group(1)), before - 3)
            self.assertGreater(size, before)

    def test_each_request_begins_with_the_bytes_of_the_one_before(self):
        before, after = self.chat().split("-- Restart")
        self.check_requests(before, 3)
        self.check_requests(after, 2)
        self.check_requests(self.chat("--key", "other", stdin="Hello\nread config.json\nand?\nso\n/explain\n"), 5)

    def test_a_change_of_an_earlier_request_is_named(self):
        self.chat(stdin="What is in config.json?\n")
        session = self.ok("ls").out.split("\t")[0]
        file = self.store / f"{session}.jsonl"
        lines = file.read_text().splitlines(keepends=True)
        call = next(i for i, line in enumerate(lines) if "toolCall" in line)
        file.write_text("".join(lines[:call + 1]))  # the tool's answer arrives late, from another process
        late = dict(json.loads(lines[call + 1]), id="late")
        self.chat(stdin="Hello\n")
        first = file.read_text()
        leaf = json.loads(first.splitlines()[-2])["id"]
        with file.open("a") as more:
            more.write(json.dumps(dict(late, parentId=json.loads(first.splitlines()[-1])["id"])) + "\n")
        run = self.run_cli("diff", f"{session}@{leaf}", session, "--json")
        self.assertEqual((run.code, run.json["divergence"]["reason"]), (1, "moved_result"), run)

    def test_pis_session_is_continued_in_its_own_file(self):
        self.chat()
        copy = self.store / "pi" / "simple_chat.jsonl"
        original = (PI / "simple_chat.jsonl").read_bytes()
        self.assertEqual(copy.read_bytes()[:len(original)], original)
        added = [json.loads(line) for line in copy.read_bytes()[len(original):].splitlines()]
        self.assertEqual([e["message"]["role"] for e in added], ["user", "assistant"])
        self.assertEqual(added[0]["parentId"], "1ac286af")
        self.ok("verify", copy)

    def test_typed_messages_are_in_the_next_run(self):
        first = self.chat(stdin="Hello\nWhat is in config.json?\n/quit\nnever said\n")
        self.assertIn("You said \"Hello\"", first)
        second = self.chat(stdin="/history\nWhat did I say first?\n")
        self.assertIn("Restored: 2 previous turns", second)
        self.assertIn("you> Hello\n", second)
        self.assertIn('First you said: "Hello"', second)
        self.assertNotIn("never said", second)
        self.ok("verify")

    def test_sessions_can_be_begun_listed_and_switched(self):
        out = self.chat(stdin="one\n/new\ntwo\n/sessions\n")
        ids = [line.split()[-1] for line in out.splitlines() if line.startswith("New session")]
        self.assertEqual(len(ids), 2)
        self.assertIn(f"* {ids[1]}", out)
        back = self.chat(stdin=f"/switch {ids[0]}\n/history\n")
        self.assertIn("you> one\n", back)
        self.assertNotIn("you> two\n", back)

    def test_the_tool_reads_nothing_outside_its_folder(self):
        (self.folder / "secret.txt").write_text("secret")
        (self.folder / "open").mkdir()
        (self.folder / "open" / "link.txt").symlink_to(self.folder / "secret.txt")
        (self.folder / "open" / "mine.txt").write_text("mine")
        out = self.chat("--folder", self.folder / "open", stdin="read mine.txt\nread ../secret.txt\nread link.txt\nread none.txt\n")
        self.assertIn("It says: mine", out)
        self.assertNotIn("It says: secret", out)
        self.assertEqual(out.count("That did not work:"), 3)

    def test_a_session_killed_between_call_and_result_continues(self):
        self.chat(stdin="What is in config.json?\n")
        session = self.ok("ls").out.split("\t")[0]
        file = self.store / f"{session}.jsonl"
        lines = file.read_text().splitlines(keepends=True)
        call = next(i for i, line in enumerate(lines) if "toolCall" in line)
        file.write_text("".join(lines[:call + 1]))
        out = self.chat(stdin="Hello\n")
        self.assertIn("You said \"Hello\"", out)

    def test_an_export_does_not_replace_a_file(self):
        mine, new = self.folder / "mine.md", self.folder / "new.md"
        mine.write_text("mine")
        run = Run(self.run_program(stdin=f"\x1b[31mHello\n/export {mine}\n/export {new}\n", program=CHAT))
        self.assertIn("exists already", run.err)
        self.assertEqual(mine.read_text(), "mine")
        self.assertIn("Hello", new.read_text())
        self.assertNotIn("\x1b", new.read_text())

    def test_a_file_without_a_session_is_not_opened(self):
        other = self.folder / "other.txt"
        other.write_text("no session\n" * 5)
        run = Run(self.run_program(stdin=f"Hello\n/open {other}\nread config.json\n", program=CHAT))
        self.assertIn("contains no session", run.err)
        self.assertIn("It says: ", run.out)

    def test_bad_flags_exit_with_2(self):
        run = Run(self.run_program("--nonsense", program=CHAT))
        self.assertEqual(run.code, 2)
        self.assertIn("see: chat --help", run.err)


if __name__ == "__main__":
    unittest.main()
