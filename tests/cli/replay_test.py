# SPDX-License-Identifier: MIT
"""history --explain and diff: the changes of a history, and where two requests differ."""
import json
import unittest

from support import PI, ProgramTest


class Replay(ProgramTest):
    def late_result(self):
        """A session in which a tool answers after the user's next message; its entries are u1, a1, u2, r1."""
        lines = [{"type": "session", "version": 3, "id": "late", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/p"}]

        def add(name, message):
            lines.append({"type": "message", "id": name, "parentId": lines[-1]["id"] if len(lines) > 1 else None,
                          "timestamp": "2026-01-01T00:00:01.000Z", "message": message})

        call = {"type": "toolCall", "id": "call_1", "name": "read", "arguments": {"path": "x"}}
        add("u1", {"role": "user", "content": [{"type": "text", "text": "read x"}]})
        add("a1", {"role": "assistant", "content": [call], "stopReason": "toolUse"})
        add("u2", {"role": "user", "content": [{"type": "text", "text": "and?"}]})
        add("r1", {"role": "toolResult", "toolCallId": "call_1", "toolName": "read", "isError": False,
                   "content": [{"type": "text", "text": "it says\ty"}]})
        path = self.folder / "late.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def test_explain_prints_each_repair_with_its_entry(self):
        file = self.late_result()
        run = self.ok("history", file, "--explain", "--leaf", "u2")
        self.assertEqual(run.out.rstrip("\n").split("\t"),
                         ["a1", "missing_result", "no", 'call call_1 read {"path": "x"}',
                          "[tool result missing: interrupted]"])
        run = self.ok("history", file, "--explain")
        self.assertEqual(run.out.rstrip("\n").split("\t"),
                         ["r1", "moved_result", "yes", "result of call_1: it says y", "after its call"])

    def test_explain_as_json_says_the_same(self):
        file = self.late_result()
        run = self.ok("history", file, "--explain", "--json", "--provider", "openai-chat").json
        self.assertEqual((run["schema"], run["session"], run["leaf"], run["provider"], run["messages"]),
                         ("sessionkit/explain@1", "late", "r1", "openai-chat", 4))
        self.assertEqual(run["repairs"], [{"entry": "r1", "rule": "moved_result", "before": "result of call_1: it says\ty",
                                           "after": "after its call", "retroactive": True}])

    def test_explain_of_a_sound_session_prints_nothing(self):
        run = self.ok("history", PI / "simple_chat.jsonl", "--explain")
        self.assertEqual(run.out, "")
        self.assertIn("nothing had to be repaired", run.err)
        self.assertEqual(self.ok("history", PI / "simple_chat.jsonl", "--explain", "--json").json["repairs"], [])

    def test_explain_on_a_terminal_has_a_heading(self):
        code, shown = self.on_terminal("history", self.late_result(), "--explain")
        self.assertEqual(code, 0)
        self.assertRegex(shown, r"ENTRY +RULE +RETROACTIVE +BEFORE +AFTER")

    def test_a_session_and_itself_are_the_same(self):
        file = PI / "tool_calls.jsonl"
        run = self.ok("diff", file, file)
        self.assertEqual(run.out.splitlines()[:2], ["verdict\t-\tsame", "cache\t-\tholds"])

    def test_each_leaf_of_a_path_is_extended_by_the_next(self):
        file = PI / "simple_chat.jsonl"
        path = self.ok("tree", file, "--json").json["path"]
        for shorter, longer in zip(path, path[1:]):
            run = self.ok("diff", f"{file}@{shorter}", f"{file}@{longer}", "--json").json
            self.assertIn(run["verdict"], ("b_extends_a", "same"), (shorter, longer))
            self.assertFalse(run["breaks_cache"])
        self.assertEqual(self.ok("diff", file, f"{file}@{path[1]}", "--json").json["verdict"], "a_extends_b")

    def test_a_late_result_breaks_the_cache_and_is_named(self):
        file = self.late_result()
        for provider in ("anthropic", "openai-chat", "openai-responses", "gemini", "native"):
            run = self.run_cli("diff", f"{file}@u2", file, "--provider", provider, "--json")
            self.assertEqual(run.code, 1, run)
            found = run.json
            self.assertEqual((found["schema"], found["verdict"], found["breaks_cache"], found["shared_messages"]),
                             ("sessionkit/diff@1", "differ", True, 2))
            self.assertEqual((found["a"]["leaf"], found["b"]["leaf"]), ("u2", "r1"))
            self.assertEqual(found["divergence"],
                             {"in_system": False, "message": 2, "part": 0,
                              "a": {"entry": "a1", "says": "result of call_1: [tool result missing: interrupted]"},
                              "b": {"entry": "r1", "says": "result of call_1: it says\ty"},
                              "reason": "moved_result", "reason_entry": "r1", "retroactive": True})
        run = self.run_cli("diff", f"{file}@u2", file)
        self.assertEqual([line.split("\t")[0] for line in run.out.splitlines()],
                         ["verdict", "cache", "shared", "at", "a", "b", "why"])
        self.assertIn("why\tr1\tmoved_result (retroactive)", run.out)

    def test_unsent_entries_make_no_difference(self):
        file = self.late_result()
        other = self.folder / "other.jsonl"
        other.write_text(file.read_text().replace('"toolName": "read"', '"toolName": ""').replace(
            '"content": [{"type": "text", "text": "read x"}]',
            '"content": [{"type": "text", "text": ""}, {"type": "text", "text": "read x"}]'))
        for provider in ("anthropic", "openai-chat", "openai-responses", "gemini"):
            a, b = (self.ok("history", name, "--provider", provider).out for name in (file, other))
            self.assertEqual(a, b)
            self.assertEqual(self.ok("diff", file, other, "--provider", provider, "--json").json["verdict"], "same")

    def test_a_repair_after_the_first_difference_is_not_the_reason(self):
        file = self.late_result()
        other = self.folder / "other.jsonl"
        lines = file.read_text().replace("read x", "read y").splitlines()
        other.write_text("\n".join(lines[:-1]) + "\n")
        run = self.run_cli("diff", other, file, "--json")
        self.assertEqual((run.code, run.json["divergence"]["message"], run.json["divergence"]["reason"]), (1, 0, None))

    def test_a_compaction_between_is_the_reason(self):
        file = PI / "compaction_once.jsonl"
        entries = self.ok("tree", file, "--json").json
        kinds = {entry["id"]: entry["type"] for entry in entries["entries"]}
        before = entries["path"][[kinds[entry] for entry in entries["path"]].index("compaction") - 1]
        found = self.run_cli("diff", f"{file}@{before}", file, "--json").json
        self.assertEqual((found["divergence"]["in_system"], found["divergence"]["reason"]), (True, "compaction"))

    def test_branches_part_where_they_branch(self):
        session = self.new("--key", "k")
        self.say(session, "user", "one")
        first = self.say(session, "assistant", "1")
        copy = self.ok("fork", session, "--at", first).out.strip()
        self.say(session, "user", "two")
        self.say(copy, "user", "otherwise")
        found = self.run_cli("diff", session, copy, "--json")
        self.assertEqual(found.code, 1)
        self.assertEqual((found.json["shared_messages"], found.json["divergence"]["message"]), (2, 2))
        self.assertEqual((found.json["divergence"]["a"]["says"], found.json["divergence"]["b"]["says"]),
                         ("two", "otherwise"))
        self.assertIsNone(found.json["divergence"]["reason"])

    def test_either_side_may_be_named_in_every_way(self):
        session = self.new("--key", "who@where")
        entry = self.say(session, "user", "one")
        self.say(session, "assistant", "1")
        for name in (session, "@last", "who@where", "key:who@where", session[:8]):
            self.assertIn("b_extends_a", self.ok("diff", f"{name}@{entry}", name).out, name)

    def test_missing_things_exit_with_3(self):
        session = self.new()
        self.say(session, "user", "one")
        for a in ("nobody", f"{session}@nobody", f"nobody@{session}", "./no.jsonl"):
            self.fails(3, "diff", a, session)
        for bad in (["diff", session], ["diff", session, session, "--provider", "nobody"], ["diff", "@first", session],
                    ["diff", "", session]):
            self.fails(2, *bad)


if __name__ == "__main__":
    unittest.main()
