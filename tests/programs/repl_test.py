# SPDX-License-Identifier: MIT
"""The REPL as a person uses it: in a terminal, with Ctrl-C, killed in the middle of a turn."""
import base64
import json
import re
import resource
import signal
import time
import unittest

from live import Terminal
from support import CHAT, ProgramTest, Run


class Repl(ProgramTest):
    def terminal(self, *arguments, env=None):
        return Terminal(self, CHAT, "--store", self.store, *arguments, env=env)

    def script(self, *steps):
        file = self.folder / f"script-{time.monotonic_ns()}.jsonl"
        file.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
        return "--script-file", file

    def chat(self, stdin, *arguments):
        run = Run(self.run_program("--store", self.store, *arguments, program=CHAT, stdin=stdin))
        self.assertEqual((run.code, run.err), (0, ""), run)
        return run.out

    def failing(self, stdin, *arguments, **options):
        run = Run(self.run_program("--store", self.store, *arguments, program=CHAT, stdin=stdin, **options))
        self.assertEqual(run.code, 1, run)
        return run

    def walk(self, *arguments):
        """The list "try it" of claw0's s03, point by point."""
        first = self.terminal(*arguments)
        first.expect("New session")
        first.prompt()
        self.assertIn('You said "My cat is Momo"', first.say("My cat is Momo"))
        self.assertIn("I remember 2 of your messages", first.say("She is grey"))
        first.type("/quit\n")
        self.assertEqual(first.wait(), 0)

        again = self.terminal(*arguments)
        again.expect("Restored: 2 previous turns")
        self.assertIn("you> She is grey", again.prompt())
        self.assertIn('First you said: "My cat is Momo"', again.say("What did I say first?"))
        again.type("/new\n")
        again.expect("New session ")
        again.prompt()
        self.assertIn("I remember 1 of your messages", again.say("Something else"))
        listed = again.say("/sessions")
        self.assertIn("My cat is Momo", listed)
        self.assertIn("* ", listed)
        rows = [line.strip(" *").split("  ") for line in listed.splitlines() if " turns " in line]
        self.assertEqual(len(rows), 2, listed)
        other = next(row for row in rows if "Momo" in row[-1])
        again.type(f"/switch {other[1] if 'claw0' in arguments else other[0]}\n")
        again.expect("Restored: 3 previous turns")
        again.prompt()
        history = again.show("/history")
        for words in ("you> My cat is Momo", "you> She is grey", "assistant> First you said"):
            self.assertIn(words, history)
        self.assertNotIn("Something else", history)
        current = next(row for row in rows if "Something else" in row[-1])
        self.assertIn("deleted", again.say(f"/delete {current[0]}"))
        self.assertEqual(again.say("/sessions").count(" turns "), 1)
        # Ctrl-D also leaves, on an empty line: if it came before the editor listened, it is a character on the line.
        again.press("\x15\x04", "resume with: chat -r " + other[0])
        self.assertEqual(again.wait(), 0)
        return other[0]

    def test_the_walk_of_claw0_in_a_terminal(self):
        self.ok("verify", self.walk())

    def test_a_folder_of_claw0_is_continued_by_its_own_key_and_cut(self):
        self.chat("My cat is Momo\n/quit\n", "--profile", "claw0")
        out = self.chat("What did I say first?\n/compact\n/quit\n")  # no profile: the folder shows it
        self.assertIn("Restored: 1 previous turns", out)
        self.assertIn('First you said: "My cat is Momo"', out)
        self.assertIn("[not compacted: claw0 stores no summaries; each request is cut to the model's window]", out)

    def test_a_long_conversation_of_claw0_goes_on_at_the_models_window(self):
        lines = [f"message {i} " + "x" * 1000 for i in range(30)]
        out = self.chat("\n".join([*lines, "/history", "/quit"]) + "\n", "--profile", "claw0", "--window", "3000")
        self.assertEqual(out.count("[too long for the model: "), 1)
        for i in range(30):
            self.assertIn(f"you> message {i} ", out)

    def test_what_a_line_cannot_represent_is_reported_once(self):
        steps = [{"thinking": "Hm.", "text": "Sunny."}, {"thinking": "Well.", "text": "Rainy."}]
        out = self.chat("weather?\nand tomorrow?\n/history\n/quit\n", "--profile", "claw0", *self.script(*steps))
        self.assertEqual(out.count("[an answer was stored without reasoning"), 1)
        self.assertIn("assistant> Rainy.", out)

    def test_claw0s_index_and_transcripts_may_lie_apart(self):
        apart = self.folder / "apart"
        self.chat("My cat is Momo\n/quit\n", "--profile", "claw0", "--transcript-dir", str(apart))
        self.assertEqual(len(list(apart.glob("main_cli_user_*.jsonl"))), 1)
        self.assertFalse((self.store / "transcripts").exists())
        self.assertIn("Restored: 1 previous turns", self.chat("/quit\n", "--transcript-dir", str(apart)))
        self.assertIn("My cat is Momo", self.ok("ls", "--store", self.store, "--transcript-dir", str(apart)).out)

    def test_what_is_typed_during_a_turn_is_the_next_message(self):
        terminal = self.terminal(*self.script({"text": "word " * 60}))
        terminal.prompt()
        terminal.type("first\n")
        terminal.expect("word word")
        terminal.type("second\nthird\n")
        terminal.expect("I remember 3 of your messages")
        terminal.prompt()
        history = terminal.show("/history")
        self.assertEqual(re.findall("you> (.*)", history)[:3], ["first", "second", "third"])

    def test_the_numbers_of_a_compaction_can_be_given(self):
        lines = [f"message {i} " + "x" * 400 for i in range(12)]
        out = self.chat("\n".join([*lines, "/tokens", "/quit"]) + "\n", "--threshold", "800", "--history-limit", "2")
        self.assertIn("[compaction: applied]", out)
        self.assertIn("compacted above 800", out)
        self.store = self.folder / "of-claw0"
        out = self.chat("hello\n/tokens\n/quit\n", "--profile", "claw0", "--threshold", "700")
        self.assertIn("requests are cut to 700", out)

    def test_old_sessions_go_when_asked_but_never_the_open_one(self):
        for i in range(3):
            self.chat(f"talk {i}\n/quit\n", "--key", f"k{i}")
        self.assertNotIn("removed", self.chat("again\n/quit\n", "--key", "k0"))
        for file in self.store.glob("*.jsonl"):
            file.write_text(re.sub("20[0-9][0-9]-", "2020-", file.read_text(encoding="utf-8")), encoding="utf-8")
        for file in self.store.glob("sessions.*"):
            file.unlink()
        out = self.chat("/quit\n", "--key", "k0", "--idle", "30")
        self.assertEqual(out.count("[removed "), 2)
        self.assertIn("Restored: 2 previous turns", out)
        self.chat("new\n/quit\n", "--key", "k1")
        self.assertEqual(self.chat("/quit\n", "--key", "k0", "--most", "1").count("[removed "), 1)  # the open one stays
        self.assertEqual(self.chat("/quit\n", "--key", "k1", "--most", "1").count("[removed "), 1)
        self.assertEqual(self.chat("/sessions\n/quit\n", "--key", "k1").count(" turns  "), 1)

    def test_a_directory_of_openclaw_is_continued_by_its_main_key(self):
        self.chat("My cat is Momo\n/quit\n", "--profile", "openclaw")
        header = json.loads(next(self.store.glob("*.jsonl")).read_text().splitlines()[0])
        self.assertEqual(header["key"], "agent:main:main")

    def test_a_conversation_in_documents_of_blades(self):
        for name, options in (("a", ()), ("b", ("--profile", "blades")), ("c", ("--profile", "blades", "--no-auto-save"))):
            options = ("--store", f"blades:{self.folder / name}", *options)  # the last --store counts
            self.chat("My cat is Momo\n/quit\n", *options)
            self.assertIn("Restored: 1 previous turns", self.chat("/quit\n", *options), options)

    def test_the_same_walk_in_claw0s_own_files(self):
        session = self.walk("--profile", "claw0")
        files = list((self.store / "transcripts").glob(f"main_cli_user_{session}.jsonl"))
        lines = [json.loads(line) for line in files[0].read_text(encoding="utf-8").splitlines()]
        self.assertEqual([line["type"] for line in lines], ["session"] + ["user", "assistant"] * 3)
        self.assertEqual(lines[0]["key"], "main:cli:user")
        self.assertIn("main:cli:user", json.loads((self.store / "sessions.json").read_text()))

    def test_every_profile_keeps_a_conversation_but_the_one_that_keeps_none(self):
        for profile in ("native", "ai_panel", "zyhive", "zeroclaw", "blades", "claw0", "ephemeral"):
            with self.subTest(profile):
                self.store = self.folder / profile
                arguments = ("--profile", profile, *self.script(
                    {"text": "Let me look.", "tools": [{"name": "read_file", "input": {"path": "config.json"}}]}))
                self.assertIn("It says: ", self.chat("Read it\nand on\n", *arguments))
                again = self.chat("What did I say first?\n/history\n", "--profile", profile)
                kept = profile != "ephemeral"
                self.assertEqual("Restored: 2 previous turns" in again, kept)
                self.assertEqual('First you said: "Read it"' in again, kept)
                self.assertEqual("you> and on" in again, kept)
                if not kept:
                    self.assertFalse(self.store.exists())

    def test_other_engines_keep_it_too(self):
        store = f"sqlite:{self.folder / 'talks.db'}"
        if "built without" in Run(self.run_program("ls", "--store", store)).err:
            self.skipTest("built without SQLite")
        self.store = store
        self.chat("one\nRead config.json\n/undo\n")
        again = self.chat("What did I say first?\n/history\n")
        self.assertIn("Restored: 1 previous turns", again)
        self.assertIn('First you said: "one"', again)
        self.assertNotIn("config.json", again)

    def test_no_session_leaves_nothing(self):
        out = self.chat("one\nWhat did I say first?\n", "--no-session")
        self.assertIn('First you said: "one"', out)
        self.assertFalse(self.store.exists())

    def test_ctrl_c_keeps_the_partial_answer_and_the_repl_continues(self):
        terminal = self.terminal(*self.script({"text": "word " * 2000, "delay_ms": 20, "chunk": 5}))
        terminal.prompt()
        terminal.type("Talk\n")
        terminal.expect("word word word ")
        terminal.type("\x03")
        terminal.expect("[interrupted]")
        terminal.prompt()
        self.assertIn("I remember 2 of your messages", terminal.say("Go on"))
        self.assertRegex(terminal.show("/history"), r"assistant> (word )+ ?\[interrupted\]")
        terminal.type("half a line")
        terminal.expect("half a line")
        discarded = terminal.press("\x03", "you> ")  # at the prompt it discards the line, once the editor listens
        self.assertIn("^C", discarded)
        self.assertNotIn("half", terminal.show("/history"))
        terminal.type("/quit\n")
        self.assertEqual(terminal.wait(), 0)
        entries = [json.loads(line) for line in next(self.store.glob("*.jsonl")).read_text().splitlines()]
        cut = next(e for e in entries if e.get("message", {}).get("role") == "assistant")
        self.assertEqual(cut["message"]["stopReason"], "aborted")
        self.ok("verify")

    def test_it_continues_after_a_kill_in_the_middle_of_a_turn(self):
        slow = {"text": "word " * 2000, "delay_ms": 20, "chunk": 5}
        call = {"text": "Let me look.", "tools": [{"name": "list_dir", "input": {}}]}
        for count, steps in enumerate(((slow,), (call, slow)), 1):
            terminal = self.terminal(*self.script(*steps))
            terminal.prompt()
            terminal.type(f"Remember the heron {count}\n")
            terminal.expect("word word ")
            self.assertEqual(terminal.kill(), -signal.SIGKILL)
            again = self.terminal("-c")
            again.expect(f"Restored: {2 * count - 1} previous turns")
            shown = again.prompt()
            self.assertRegex(shown, r"assistant> (word )+\[interrupted\]\n\[the last answer was cut when the program was killed; "
                             r"its text was kept\]\nyou> \Z")
            self.assertIn('First you said: "Remember the heron 1', again.say("What was first?"))
            again.type("/quit\n")
            self.assertEqual(again.wait(), 0)
        self.ok("verify")

    def test_several_tools_of_one_answer(self):
        (self.folder / "a.txt").write_text("from a")
        (self.folder / "b.txt").write_text("from b")
        out = self.chat("Read both\n/history\n", "--folder", self.folder, *self.script(
            {"text": "Both.", "tools": [{"name": "read_file", "input": {"path": "a.txt"}},
                                        {"name": "write_file", "input": {"path": "sub/c.txt", "content": "from c"}},
                                        {"name": "read_file", "input": {"path": "b.txt"}}]}))
        self.assertRegex(out, r"(?s)-> from a\n.*-> wrote 6 bytes\n.*-> from b\n")
        self.assertEqual((self.folder / "sub" / "c.txt").read_text(), "from c")

    def test_undo_stays_undone_and_the_tree_shows_it(self):
        out = self.chat("one\ntwo\n/undo\nthree\n/tree\n")
        self.assertIn("taken back: two", out)
        self.assertIn("I remember 2 of your messages", out.split("taken back")[1])
        self.assertRegex(out, r"\n +you> two\n")
        self.assertRegex(out, r"\n\* +you> three\n")
        self.chat("/undo\n")
        again = self.chat("/history\n")
        self.assertIn("you> one\n", again)
        self.assertNotIn("you> three\n", again)
        self.ok("verify")

    def test_turns_that_were_taken_back_are_not_restored(self):
        for profile in ("native", "zeroclaw", "blades"):
            with self.subTest(profile):
                self.store = self.folder / profile
                self.chat("one\ntwo\nthree\n/undo\n/undo\n", "--profile", profile)
                again = self.chat("/sessions\n/undo\n/sessions\n", "--profile", profile)
                self.assertTrue(again.startswith("Restored: 1 previous turns\n"), again)
                self.assertEqual(re.findall(r"  (\d) turns  one\n", again), ["1", "0"])
                self.assertTrue(self.chat("/history\n", "--profile", profile).startswith("Restored: 0 previous turns\n"))

    def test_an_impossible_undo_is_reported_with_an_alternative(self):
        for profile in ("ai_panel", "claw0"):
            with self.subTest(profile):
                self.store = self.folder / profile
                run = self.failing("one\n/undo\n/history\n", "--profile", profile)
                self.assertRegex(run.err, r"\Achat: lines of this format have no branches.* sessionkit fork \S+ --at ENTRY\n\Z")
                self.assertIn("you> one\n", run.out)

    def test_a_command_without_its_argument_asks_for_it_and_does_nothing(self):
        """An empty name must not find the sessions that have no key."""
        self.ok("new", "--store", self.store, "--id", "strangers")
        run = self.failing("mine\n/title My talk\n/delete\n/switch\n/open\n/title\n/delete  \n/sessions\n")
        self.assertEqual(run.err, "".join(f"chat: which? {usage}\n" for usage in (
            "/delete ID|KEY", "/switch ID|KEY", "/open FILE", "/title TEXT", "/delete ID|KEY")))
        self.assertRegex(run.out, r"\n\* \S+  chat  1 turns  My talk\n")
        self.assertIn("\n  strangers  ", run.out)

    def test_a_session_that_was_there_before_is_not_called_new(self):
        self.ok("new", "--store", self.store, "--id", "empty", "--key", "k2")
        out = self.chat("/switch k2\n/fork\n")
        self.assertEqual(out.count("Restored: 0 previous turns"), 2)
        self.assertEqual(out.count("New session"), 1)

    def test_a_long_list_says_that_there_is_more(self):
        for number in range(51):
            self.ok("new", "--store", self.store, "--id", f"s{number:02}")
        out = self.chat("/sessions\n")
        self.assertEqual(out.count(" turns "), 50)
        self.assertIn("there are older ones", out)

    def test_a_fork_goes_its_own_way(self):
        out = self.chat("one\n/fork\ntwo\n/title The other way\n/sessions\n")
        self.assertEqual(out.split("this is now \"")[1].count(" turns "), 2)
        self.assertRegex(out, r"\* \S+  chat  2 turns  The other way\n")
        self.assertRegex(out, r"\n  \S+  chat  1 turns  one\n")
        original = re.search(r"\n  (\S+)  chat  1 turns", out).group(1)
        self.assertNotIn("two", self.chat(f"/switch {original}\n/history\n"))

    def test_unknown_commands_and_arguments_are_reported(self):
        out = self.chat("one\n/tokens\n/export\n/export out.md\n/help\n/nonsense\n/compact\n")
        self.assertRegex(out, r"context: \d+ tokens of a window of 200000")
        self.assertIn("## you\n\none\n", out)
        self.assertIn("## you\n\none\n", (self.folder / "out.md").read_text())
        self.assertIn("/switch", out)
        self.assertIn("there is no command /nonsense", out)
        self.assertIn("[not compacted: there is nothing before the last 20 turns", out)

    def test_continue_and_resume(self):
        self.chat("one\n", "--key", "a")
        time.sleep(0.01)
        self.chat("two\n", "--key", "b")
        ids = {row["key"]: row["id"] for row in self.ok("ls", "--json").json["sessions"]}
        self.assertIn("you> two", self.chat("/history\n", "-c"))
        for name in (ids["a"], "a"):
            self.assertIn("you> one", self.chat("/history\n", "-r", name))
        chosen = self.terminal("-r", env={"TERM": "dumb"})  # a terminal that can be drawn on: repl_screen_test.py
        shown = chosen.expect("which? ")
        number = next(line.split()[0] for line in shown.splitlines() if ids["a"] in line)
        chosen.type(number + "\n")
        chosen.expect("Restored: 1 previous turns")
        chosen.expect("you> ")
        self.assertIn("you> one", chosen.show("/history"))
        missing = Run(self.run_program("--store", self.store, "-r", "nobody", program=CHAT, stdin="x\n"))
        self.assertEqual((missing.code, missing.err), (1, "chat: there is no session 'nobody'\n"))
        nobody = Run(self.run_program("--store", self.store, "-r", "", program=CHAT, stdin="x\n"))
        self.assertEqual(nobody.code, 2)
        self.assertTrue(nobody.err.startswith("chat: '' is not valid for -r\n"), nobody)

    def test_the_model_sees_only_the_last_messages_where_that_is_wished(self):
        out = self.chat("".join(f"line {i}\n" for i in range(10)), "--keep-messages", "3")
        self.assertIn('You said "line 9". I remember 2 of your messages.', out)
        self.assertIn("Restored: 10 previous turns", self.chat("x\n"))

    def test_the_model_sees_only_the_last_turns_or_tokens_where_that_is_wished(self):
        lines = "".join(f"line {i} {'x' * 200}\n" for i in range(10))
        self.assertIn("I remember 3 of your messages.", self.chat(lines, "--max-turns", "3").rsplit("line 9", 1)[1])
        self.assertIn("I remember 10 of your messages", self.chat("x\n", "--max-turns", "10"))
        self.store = self.folder / "tokens"
        requests = self.folder / "requests"
        self.chat(lines, "--max-tokens", "400", "--requests", requests)
        sizes = [sum(len(part["text"]) for message in json.loads(line)["messages"] for part in message["content"]) / 4
                 for line in requests.read_text(encoding="utf-8").splitlines()]
        self.assertTrue(300 < max(sizes) < 400, sizes)
        self.assertIn("Restored: 10 previous turns", self.chat("x\n"))

    def stored_lines(self):
        return sum(file.read_bytes().count(b"\n") for file in self.store.glob("*.jsonl"))

    def test_without_auto_save_a_conversation_is_stored_at_the_end(self):
        first = self.terminal("--no-auto-save")
        first.expect("[not stored before the end]")
        first.prompt()
        first.say("My cat is Momo")
        self.assertEqual(self.stored_lines(), 0)
        self.assertIn("My cat is Momo", first.say("/sessions"))
        self.assertIn("stored", first.say("/save"))
        saved = self.stored_lines()
        self.assertGreater(saved, 0)
        first.say("She is grey")
        self.assertEqual(self.stored_lines(), saved)
        first.type("/quit\n")
        self.assertEqual(first.wait(), 0)
        out = self.chat("What did I say first?\n", "--no-auto-save")
        self.assertIn("Restored: 2 previous turns", out)
        self.assertIn("Restored: 3 previous turns", self.chat("x\n", "--no-auto-save", "--no-save-on-exit"))
        self.assertIn("Restored: 3 previous turns", self.chat("x\n/save\n", "--no-auto-save", "--no-save-on-exit"))
        self.assertIn("Restored: 4 previous turns", self.chat("/quit\n"))

    def test_a_conversation_that_another_program_continued_is_not_overwritten(self):
        self.chat("one\n")
        slow = self.terminal("--no-auto-save")
        slow.prompt()
        slow.say("two")
        self.chat("three\n")
        slow.type("/quit\n")
        self.assertEqual(slow.wait(), 1)
        self.assertIn("another program changed session ", slow.shown)
        history = self.chat("/history\n")
        self.assertIn("three", history)
        self.assertNotIn("you> two", history)

    def test_options_of_saving_that_contradict_each_other_are_refused(self):
        run = Run(self.run_program("--store", self.store, "--no-save-on-exit", program=CHAT, stdin=""))
        self.assertEqual(run.code, 2)
        self.assertIn("--no-save-on-exit needs --no-auto-save", run.err)

    def test_an_answer_may_come_as_a_whole(self):
        script = self.script({"text": "Once upon a time.", "delay_ms": 20})
        self.assertIn("assistant> Once upon a time.\n", self.chat("go\n", *script, "--no-stream"))

    def test_a_sub_agent_may_share_the_session(self):
        script = self.script({"when": "Ask", "tools": [{"name": "sub_agent", "input": {"task": "look at it"}}]},
                             {"when": "on your own", "tools": [{"name": "list_dir", "input": {"path": "."}}]},
                             {"text": "It is empty."}, {"text": "So it is empty."})
        self.chat("Ask somebody.\n", *script, "--shared-sub-agent")
        history = self.chat("/history\n")
        for words in ("you> You are asked to do this on your own: look at it", "assistant> It is empty.", "So it is empty."):
            self.assertIn(words, history)
        self.assertIn("I remember", self.chat("More.\n"))

    def test_a_picture_is_sent_and_stored(self):
        point = self.folder / "point.png"
        point.write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 30)
        requests = self.folder / "requests"
        self.chat("/image point.png What is it?\n", "--requests", requests)
        for _ in range(2):
            sent = json.loads(requests.read_text(encoding="utf-8").splitlines()[0])["messages"][0]["content"]
            self.assertEqual(base64.b64decode(sent[0]["source"]["data"]), point.read_bytes())
            self.assertEqual((sent[0]["source"]["media_type"], sent[1]["text"]), ("image/png", "What is it?"))
            self.chat("More.\n", "--requests", requests)
        (self.folder / "note.txt").write_text("no picture")
        (self.folder / "large.png").write_bytes(point.read_bytes() + bytes(5 << 20))
        for name, why in (("note.txt", "no PNG, JPEG, GIF or WebP"), ("large.png", "larger than 5 MiB"), ("none.png", "cannot read")):
            self.assertIn(why, self.failing(f"/image {name}\n").err)

    def test_text_of_a_model_does_not_control_the_terminal(self):
        nasty = "\x1b]52;c;aGk=\x07\x1b[2J\x9b31m ok"
        out = self.chat("go\n/history\n/tree\n", *self.script({"text": nasty}))
        self.assertNotIn("\x1b", out)
        self.assertNotIn("\x9b", out)
        self.assertIn(" ok", out)

    def test_requests_that_cannot_be_written_are_a_failure(self):
        nowhere = self.failing("x\n", "--requests", self.folder / "no" / "file")
        self.assertIn("cannot write the requests to ", nowhere.err)
        self.assertEqual(list(self.store.glob("*.jsonl")), [])
        self.assertEqual(self.failing("x\n", "--requests", "/dev/full").err, "chat: cannot write the requests to /dev/full\n")

    def test_a_file_size_limit_is_an_error_like_a_full_disk(self):
        limit = (4096, resource.RLIM_INFINITY)
        run = self.failing("some words\n" * 40, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
        self.assertIn("the file size limit is reached", run.err)
        self.assertIn('First you said: "some words"', self.chat("What was first?\n"))

    def test_the_tools_own_folder_is_the_users_and_not_the_programs(self):
        self.chat("write\n", *self.script({"tools": [{"name": "write_file", "input": {"path": "a", "content": "b"}}]}))
        folder = self.folder / ".local" / "share" / "sessionkit" / "files"
        self.assertEqual(sorted(file.name for file in folder.iterdir()), ["a", "config.json"])
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)

    def test_help_and_version_are_data(self):
        for flag in ("--help", "-h"):
            run = Run(self.run_program(flag, program=CHAT))
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertTrue(run.out.startswith("usage: chat [options]\n"))
        version = Run(self.run_program("--version", program=CHAT))
        self.assertEqual(version.out, self.ok("--version").out.replace("sessionkit", "chat"))
        with open("/dev/full", "wb") as full:
            self.assertEqual(self.run_program("--help", program=CHAT, stdout=full).returncode, 1)
        self.assertFalse(self.store.exists())

    def test_an_invalid_command_line_exits_with_2(self):
        for arguments in (["--profile", "none"], ["--provider", "none"], ["--window", "many"], ["--key"], ["--no"]):
            run = Run(self.run_program(*arguments, program=CHAT))
            self.assertEqual(run.code, 2, arguments)
            self.assertRegex(run.err, r"\Achat: .*\nsee: chat --help\n")
        run = Run(self.run_program("--store", "mongodb://x/y", program=CHAT, stdin="x\n"))
        self.assertEqual(run.code, 1)
        self.assertRegex(run.err, r"\Achat: this program has no 'mongodb' stores; ")


if __name__ == "__main__":
    unittest.main()
