# SPDX-License-Identifier: MIT
"""What makes the REPL good for every day: other answers, branches, pasted blocks, completion, cost, and scripts."""
import json
import re
import time
import unittest

from live import Terminal
from support import CHAT, ProgramTest, Run
import check_anthropic
import check_gemini
import check_openai
import check_responses

PASTE, PASTE_END = "\x1b[200~", "\x1b[201~"


class Daily(ProgramTest):
    def script(self, *steps):
        file = self.folder / f"script-{time.monotonic_ns()}.jsonl"
        file.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
        return "--script-file", file

    def terminal(self, *arguments):
        terminal = Terminal(self, CHAT, "--store", self.store, *arguments)
        self.intro = terminal.prompt()
        return terminal

    def run_chat(self, *arguments, stdin=""):
        return Run(self.run_program("--store", self.store, *arguments, program=CHAT, stdin=stdin))

    def said(self):
        """The messages of the person in the log, on all branches, oldest first."""
        entries = [json.loads(line) for line in next(self.store.glob("*.jsonl")).read_text().splitlines()]
        return ["".join(part["text"] for part in m["content"]) if isinstance(m["content"], list) else m["content"]
                for m in (e.get("message", {}) for e in entries) if m.get("role") == "user"]

    def test_the_first_line_says_which_model_it_is_and_what_to_try(self):
        self.terminal()
        first, second, *_ = self.intro.splitlines()
        self.assertIn("A script answers here, no model", first)
        self.assertIn("Try: What is in config.json?", second)
        self.assertIn("/help", second)
        self.assertNotIn("Try:", self.run_chat(stdin="x\n").out)  # nobody reads it there

    def test_help_fits_eighty_columns(self):
        for line in self.run_chat("--help").out.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_a_session_records_where_it_began(self):
        self.run_chat(stdin="one\n/new other\ntwo\n")
        self.assertEqual([row["cwd"] for row in map(lambda s: self.ok("info", s["id"], "--json").json,
                                                    self.ok("ls", "--json").json["sessions"])], [str(self.folder)] * 2)

    def test_request_is_the_one_that_the_provider_gets(self):
        (self.folder / "a.txt").write_text("the content")
        steps = self.script({"text": "Let me look.", "tools": [{"name": "read_file", "input": {"path": "a.txt"}}]}, {"text": "Done."})
        self.run_chat("--folder", self.folder, *steps, stdin="Read it\n")
        for provider, faults_in in (("anthropic", lambda said: check_anthropic.check(said, allow_prefill=True)),
                                    ("openai", check_openai.check), ("openai-responses", check_responses.check),
                                    ("gemini", lambda said: check_gemini.check(said, allow_prefill=True))):
            out = self.run_chat(stdin=f"/request {provider}\n").out
            messages = json.loads(out.splitlines()[-1])["messages"]
            self.assertIn("the content", json.dumps(messages))
            self.assertEqual(faults_in(messages), [], provider)
        self.assertIn("which provider?", self.run_chat(stdin="/request nobody\n").err)

    def test_retry_keeps_the_old_answer_as_a_branch_and_branch_goes_back(self):
        run = self.run_chat(*self.script({"text": "first answer"}, {"text": "second answer"}),
                            stdin="question\n/retry\n/branch\n/branch 1\n/history\n/branch 7\n")
        self.assertIn("assistant> second answer", run.out)
        listed = re.findall(r"^(.) +(\d)  assistant> (.*)$", run.out, re.MULTILINE)
        self.assertEqual(listed, [(" ", "1", "first answer"), ("*", "2", "second answer")])
        self.assertIn("continues after: assistant> first answer", run.out)
        self.assertNotIn("second", run.out.split("continues after")[1])
        self.assertIn("there is no branch 7", run.err)
        self.assertEqual(self.said(), ["question", "question"])
        self.assertIn("assistant> first answer", self.run_chat(stdin="/history\n").out)  # after a restart too
        self.ok("verify")

    def test_edit_replaces_the_last_message_and_keeps_what_was_before(self):
        run = self.run_chat(stdin="one\ntwo\n/edit three\n/history\n")
        history = run.out.split('You said "three"')[1]
        self.assertEqual(re.findall(r"^you> (.*)$", history, re.MULTILINE), ["one", "three"])
        self.assertEqual(self.run_chat("--key", "new", stdin="/edit x\n/retry\n").err.count("there is no message yet"), 2)

    def test_edit_at_a_terminal_begins_with_the_old_message(self):
        terminal = self.terminal()
        terminal.say("first line")
        terminal.type("/edit\n")
        terminal.expect("/edit first line")
        self.assertIn('First you said: "first line and more"', terminal.say(" and more"))

    def test_a_pasted_block_is_one_message_and_waits_for_enter(self):
        terminal = self.terminal()
        terminal.type(f"{PASTE}one\rtwo\tand grün\rthree\r{PASTE_END}")
        terminal.expect("three")
        terminal.say(" end")
        self.assertEqual(self.said(), ["one\ntwo and grün\nthree end"])
        terminal.type(f"{PASTE}/etc/hosts: a path\nno command{PASTE_END}\n")
        terminal.expect("tokens in context")
        self.assertEqual(self.said()[1], "/etc/hosts: a path\nno command")

    def test_a_line_that_ends_with_a_backslash_continues(self):
        terminal = self.terminal()
        terminal.type("one\\\n")
        terminal.expect("...> ")
        terminal.say("two")
        self.assertEqual(self.said(), ["one\ntwo"])

    def test_tab_completes_commands_sessions_and_files(self):
        self.ok("new", "--store", self.store, "--id", "a-session", "--key", "work")
        (self.folder / "notes-of-today.md").write_text("x")
        terminal = self.terminal()
        for typed, completed in (("/swi\t", "/switch "), ("/switch a-s\t", "/switch a-session "), ("/switch wo\t", "/switch work "),
                                 ("/image notes\t", "/image notes-of-today.md "), ("/e\t\t", "/edit     /explain  /export")):
            terminal.type(typed)
            terminal.expect(completed)
            terminal.press("\x03", "you> ")

    def test_tab_completes_providers_and_the_numbers_of_branches(self):
        terminal = self.terminal(*self.script(*({"text": f"answer {number}"} for number in range(3))))
        terminal.say("question")
        terminal.say("/retry")
        terminal.say("/retry")
        for typed, completed in (("/request open\t", "/request openai"), ("/request g\t", "/request gemini "),
                                 ("/branch \t\t", "1  2  3")):
            terminal.type(typed)
            terminal.expect(completed)
            terminal.press("\x03", "you> ")

    def test_an_unknown_option_has_a_suggestion_if_one_is_near(self):
        for word, meant in (("--rsume", "--resume"), ("--stor", "--store"), ("--stor=x", "--store"), ("--no-strem", "--no-stream")):
            run = self.run_chat(word)
            self.assertEqual(run.err, f"chat: there is no option {word.split('=')[0]}: did you mean {meant}?\nsee: chat --help\n")
            self.assertEqual(run.code, 2)
        for word in ("--nothing-like-it", "--restart", "-x", "word"):
            self.assertEqual(self.run_chat(word).err, f"chat: there is no option {word}\nsee: chat --help\n")

    def test_search_finds_what_was_said_in_every_session(self):
        self.run_chat("--key", "a", stdin="where is the Heron?\n")
        self.run_chat("--key", "b", stdin="nothing here\n")
        out = self.run_chat("--key", "b", stdin="/search heron\n/search unicorn\n").out
        self.assertRegex(out, r"(?m)^\S+  you> where is the Heron\?$")
        self.assertIn("nothing has this text", out)

    def test_model_is_shown_and_chosen_for_what_follows(self):
        requests = self.folder / "requests"
        out = self.run_chat("--requests", requests, stdin="/model\none\n/model other-model\ntwo\n").out
        self.assertIn("other-model of scripted answers", out)
        entries = [json.loads(line) for line in next(self.store.glob("*.jsonl")).read_text().splitlines()]
        models = [e["message"]["model"] for e in entries if e.get("message", {}).get("role") == "assistant"]
        self.assertEqual(models[-1], "other-model")
        self.assertNotEqual(models[0], "other-model")

    def test_cost_is_tokens_times_prices(self):
        self.run_chat(stdin="hello\n")
        usage = self.ok("info", "@last", "--json").json["usage"]
        out = self.run_chat("--prices", "3/15", stdin="/cost\n").out
        self.assertIn(f"used: {usage['input']} in, {usage['output']} out", out)
        self.assertIn(f"at most ${(usage['input'] * 3 + usage['output'] * 15) / 1e6:.4f}", out)
        self.assertIn("--prices 3/15", self.run_chat(stdin="/cost\n").out)
        cached = self.run_chat("--prices", "3/15/1/2", stdin="/cost\n").out
        self.assertIn(f"\n${(usage['input'] * 3 + usage['output'] * 15) / 1e6:.4f}\n", cached)
        for prices in ("3", "a/b", "3/", "-1/2", "", "1/2/", "1/2/3/4/5", "1/2/x"):
            self.assertEqual(self.run_chat("--prices", prices).code, 2, prices)

    def test_the_cost_of_an_answer_is_stored_where_the_price_is_known(self):
        script = self.folder / "cached.jsonl"
        script.write_text("".join(json.dumps({"text": text}) + "\n" for text in ("one", "two")))
        self.run_chat("--prices", "3/15", "--script-file", script, stdin="hello\n/model other\nagain\n/model parrot-1\nonce more\n")
        self.run_chat(stdin="without prices\n")
        entries = [json.loads(line) for line in next(self.store.glob("*.jsonl")).read_text().splitlines()]
        usages = [e["message"]["usage"] for e in entries if e.get("message", {}).get("role") == "assistant"]
        self.assertEqual(len(usages), 4)
        for usage, known in zip(usages, (True, False, True, False)):
            price = (usage["input"] * 3 + usage["output"] * 15) / 1e6 if known else 0
            self.assertAlmostEqual(usage["cost"]["total"], price, 12)
            self.assertAlmostEqual(usage["cost"]["input"], usage["input"] * 3 / 1e6 if known else 0, 12)
            self.assertEqual(usage["totalTokens"], usage["input"] + usage["output"])
        total = sum(usage["cost"]["total"] for usage in usages)
        self.assertGreater(total, 0)
        self.assertAlmostEqual(self.ok("stats", "--json").json["total"]["cost"], total, 12)
        self.ok("verify")
        self.run_chat("--prices", "3/15", "--profile", "zyhive", "--store", self.folder / "other", stdin="hello\n")
        self.assertNotIn("cost", next((self.folder / "other").glob("*.jsonl")).read_text())

    def test_a_status_line_follows_each_answer_at_a_terminal_only(self):
        terminal = self.terminal("--prices", "3/15")
        self.assertRegex(terminal.say("hello"), r"\[\d+ of 200\.0k tokens in context · \d+ in, \d+ out · \$0\.0\d+\]")
        self.assertNotIn("in context", self.run_chat(stdin="x\n").out)


class Scripts(ProgramTest):
    def run_chat(self, *arguments, **options):
        return Run(self.run_program("--store", self.store, *arguments, program=CHAT, **options))

    def script(self, *steps):
        file = self.folder / "script.jsonl"
        file.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
        return "--script-file", file

    def test_print_is_the_answer_and_nothing_else(self):
        run = self.run_chat("--print", "hello", *self.script({"text": "The answer."}))
        self.assertEqual((run.code, run.out, run.err), (0, "The answer.\n", ""))
        run = self.run_chat("-p", "-", *self.script({"text": "Again."}), stdin="from\nstdin\n")
        self.assertEqual((run.code, run.out), (0, "Again.\n"))
        self.assertIn("user> from\nstdin\n", self.ok("show", "@last").out)
        self.assertEqual(self.run_chat("-p", "-", stdin="").code, 1)

    def test_lines_of_json_have_the_session_the_pieces_and_the_end(self):
        (self.folder / "a.txt").write_text('from "a"')
        steps = self.script({"text": "Let me look.", "tools": [{"name": "read_file", "input": {"path": "a.txt"}}]}, {"text": "Done."})
        run = self.run_chat("-p", "Read it", "--json", "--folder", self.folder, *steps)
        self.assertEqual((run.code, run.err), (0, ""), run)
        lines = [json.loads(line) for line in run.out.splitlines()]
        self.assertEqual((lines[0]["type"], lines[-1]["type"], lines[-1]["end"], lines[-1]["text"]), ("session", "end", "finished", "Done."))
        self.assertEqual(lines[0]["id"], self.ok("ls", "--json").json["sessions"][0]["id"])
        self.assertEqual("".join(line["text"] for line in lines if line["type"] == "text"), "Let me look.Done.")
        call, = [line for line in lines if line["type"] == "call"]
        result, = [line for line in lines if line["type"] == "result"]
        self.assertEqual((call["name"], call["input"]), ("read_file", {"path": "a.txt"}))
        self.assertEqual((result["id"], result["error"], result["text"]), (call["id"], False, 'from "a"'))
        self.assertEqual(lines[-1]["usage"], self.ok("info", "@last", "--json").json["usage"])

    def test_a_failure_is_an_exit_code_and_an_end(self):
        steps = self.script({"text": "half", "error": {"kind": "refused", "message": "the model says no"}})
        run = self.run_chat("-p", "hello", "--json", *steps)
        last = json.loads(run.out.splitlines()[-1])
        self.assertEqual((run.code, last["type"], last["end"]), (1, "end", "failed"))
        self.assertIn("the model says no", last["why"])
        self.assertEqual(run.err, f"chat: {last['why']}\n")

    def test_options_that_need_each_other(self):
        run = self.run_chat("--json", stdin="x\n")
        self.assertEqual(run.code, 2)
        self.assertIn("--json needs --print", run.err)
        self.assertEqual(self.run_chat("--print", "").code, 2)


if __name__ == "__main__":
    unittest.main()
