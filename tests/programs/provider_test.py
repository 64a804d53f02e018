# SPDX-License-Identifier: MIT
"""The REPL against a provider that refuses invalid histories, over both wire formats."""
import http.client
import json
import os
import random
import re
import time
import unittest
import urllib.error
import urllib.request

from live import FakeProvider, Terminal
from support import CHAT, ProgramTest, Run

FORMATS = ("anthropic", "openai")


@unittest.skipUnless(os.environ.get("CHAT_HAS_CURL", "1") in ("1", "TRUE", "ON"), "built without libcurl")
class Provider(ProgramTest):
    def flags(self, fake, provider, *arguments):
        return ("--provider", provider, "--base-url", fake.base_url(provider), "--store", self.store, *arguments)

    def run_chat(self, fake, provider, stdin, *arguments, env=None):
        return Run(self.run_program(*self.flags(fake, provider, *arguments), program=CHAT, stdin=stdin, env=env))

    def chat(self, fake, provider, stdin, *arguments, env=None):
        run = self.run_chat(fake, provider, stdin, *arguments, env=env)
        self.assertEqual((run.code, run.err), (0, ""), run)
        return run.out

    def check_state(self, fake, accepted, refused=()):
        state = fake.state
        self.assertEqual([each["kind"] for each in state["refused"]], list(refused), state)
        if accepted is not None:
            self.assertEqual(state["accepted"], accepted)

    def in_both(self, *steps, arguments=()):
        for provider in FORMATS:
            self.store = self.folder / f"store-{provider}"
            yield FakeProvider(self, steps, *arguments), provider

    def test_conversations_with_tools_over_both_formats(self):
        (self.folder / "in").mkdir()
        (self.folder / "in" / "a.txt").write_text("grün und 日本語")
        steps = ({"thinking": "I should look.", "text": "Let me look.",
                  "tools": [{"name": "read_file", "input": {"path": "a.txt"}}, {"name": "list_dir", "input": {}},
                            {"name": "read_file", "input": {"path": "../live.py"}}]},
                 {"tools": [{"name": "write_file", "input": {"path": "b.txt", "content": "x\ny"}}]},
                 {"text": "Done."})
        for fake, provider in self.in_both(*steps, arguments=("--dribble", 3)):
            out = self.chat(fake, provider, "go\nand on\n", "--folder", self.folder / "in")
            self.assertIn("Done.", out)
            self.assertEqual((self.folder / "in" / "b.txt").read_text(), "x\ny")
            again = self.chat(fake, provider, "What did I say first?\n/history\n/tokens\n")
            self.assertIn('First you said: "go"', again)
            self.assertIn("-> grün und 日本語", again)
            self.assertRegex(again, r"failed: .*not inside the folder")
            self.assertRegex(again, r"used: [1-9]\d* in, [1-9]\d* out")
            self.check_state(fake, 5)
            requests = [request["messages"] for request in fake.requests]
            for before, after in zip(requests, requests[1:]):
                self.assertEqual(after[:len(before)], before)

    def test_the_other_format_may_continue_a_session(self):
        anthropic = FakeProvider(self, [{"thinking": "Hm.", "tools": [{"name": "list_dir", "input": {}}]}])
        openai = FakeProvider(self, [{"tools": [{"name": "list_dir", "input": {}}, {"name": "list_dir", "input": {}}]}])
        for _ in range(2):
            self.chat(anthropic, "anthropic", "from here\n")
            self.chat(openai, "openai", "from there\n")
        self.assertIn('First you said: "from here"', self.chat(anthropic, "anthropic", "What was first?\n"))
        self.check_state(anthropic, None)
        self.check_state(openai, None)

    def test_failures_that_pass_are_waited_for(self):
        steps = ({"error": {"kind": "overloaded", "message": "Overloaded", "retry_after_ms": 20}},
                 {"error": {"kind": "rate_limited", "message": "slow down"}, "headers": {"retry-after": "0"}},
                 {"error": {"kind": "unavailable", "message": "oops"}})
        for fake, provider in self.in_both(*steps):
            out = self.chat(fake, provider, "Hello\n")
            self.assertEqual(out.count("asking again in"), 3)
            self.assertIn("[Overloaded; asking again in 0.0 s]", out)
            self.assertIn('You said "Hello"', out)
            self.check_state(fake, 1, ["overloaded", "rate_limited", "unavailable"])

    def test_permanent_failures_are_reported_and_the_next_turn_works(self):
        steps = ({"error": {"kind": "refused", "message": "no such model"}},
                 {"text": "The answer is", "cut": True},
                 {"text": "The other answer is", "error": {"kind": "overloaded", "message": "Overloaded"}})
        for fake, provider in self.in_both(*steps):
            run = self.run_chat(fake, provider, "one\ntwo\nthree\nfour\n")
            self.assertEqual(run.code, 1)
            self.assertRegex(run.err, r"\Achat: no such model\nchat: .+\nchat: Overloaded\n\Z")
            self.assertRegex(run.out, r'You said ".*four". I remember 1 of your messages')
            self.check_state(fake, 3, ["refused"])
            self.ok("verify", "--store", self.store)

    def test_a_wrong_key_is_reported_and_no_key_is_shown_or_stored(self):
        for fake, provider in self.in_both(arguments=("--key", "right")):
            variable = "ANTHROPIC_API_KEY" if provider == "anthropic" else "OPENAI_API_KEY"
            wrong = self.run_chat(fake, provider, "Hello\n", env={variable: "wrong-secret"})
            self.assertEqual(wrong.code, 1)
            self.assertRegex(wrong.err, "(?i)api.key")
            self.assertIn("You said", self.chat(fake, provider, "Hello\n", env={variable: "right"}))
            stored = "".join(file.read_text() for file in self.store.iterdir())
            self.assertNotIn("wrong-secret", stored + wrong.out + wrong.err)

    def test_a_server_that_does_not_listen_is_reported(self):
        run = Run(self.run_program("--provider", "openai", "--base-url", "gopher://127.0.0.1/", "--store", self.store,
                                   program=CHAT, stdin="x\n"))
        self.assertEqual(run.code, 1)
        self.assertIn("gopher", run.err)
        self.assertNotIn("asking again", run.out)  # the failure is permanent
        terminal = Terminal(self, CHAT, "--provider", "openai", "--base-url", "http://127.0.0.1:1", "--store", self.store)
        terminal.prompt()
        terminal.type("x\n")
        self.assertIn("127.0.0.1", terminal.expect("asking again"))  # the server does not answer

    def test_a_missing_key_is_reported_at_the_start(self):
        for provider, variable in (("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY")):
            run = Run(self.run_program("--provider", provider, "--store", self.store, program=CHAT, stdin="x\n"))
            self.assertEqual((run.code, run.out), (1, ""), run)
            self.assertTrue(run.err.startswith(f"chat: {variable} is not set"), run)
            self.assertEqual(list(self.store.glob("*.jsonl")), [])

    def test_without_input_no_request_is_made(self):
        for fake, provider in self.in_both({"text": "paid for"}):
            run = Run(self.run_program(*self.flags(fake, provider), program=CHAT, stdin=""))
            self.assertEqual((run.code, fake.requests), (0, []), run)

    def test_ctrl_c_while_nothing_comes(self):
        for fake, provider in self.in_both({"text": "So far", "stall": True}):
            terminal = Terminal(self, CHAT, *self.flags(fake, provider))
            terminal.prompt()
            terminal.type("Tell me\n")
            terminal.expect("So")  # a word that may go on is shown when it has ended
            terminal.type("\x03")
            terminal.expect(" far")
            terminal.expect("[interrupted]")  # the provider would never end this answer
            terminal.prompt()
            self.assertIn("I remember 2 of your messages", terminal.say("And?"))
            terminal.type("/quit\n")
            self.assertEqual(terminal.wait(), 0)
            self.check_state(fake, 2)

    def test_a_history_that_is_too_long_is_made_shorter(self):
        for fake, provider in self.in_both({"summary": True, "text": "They counted."}, arguments=("--window", 3000)):
            out = self.chat(fake, provider, "".join(f"count {i} {'x' * 700}\n" for i in range(18)))
            self.assertGreaterEqual(out.count("[compaction: applied]"), 1)
            self.assertIn("count 17", out)
            kinds = [each["kind"] for each in fake.state["refused"]]
            self.assertTrue(kinds and set(kinds) == {"context_exceeded"}, kinds)
            self.assertIn("They counted.", json.dumps(fake.requests))
            self.ok("verify", "--store", self.store)

    def test_a_sub_agent_is_asked_with_the_conversation(self):
        steps = ({"text": "Hello Ada."}, {"tools": [{"name": "sub_agent", "input": {"task": "Say what I said first"}}]})
        for fake, provider in self.in_both(*steps):
            out = self.chat(fake, provider, "My name is Ada.\nWho am I?\n/history\n")
            self.assertIn('-> First you said: "My name is Ada."', out)
            self.check_state(fake, 4)

    def test_killed_at_any_moment_every_later_request_is_accepted(self):
        seed = int(os.environ.get("SESSIONKIT_SEED", time.time_ns() % 100000))
        print("seed", seed)
        chance = random.Random(seed)
        call = {"text": "Let me look at this.", "delay_ms": 3,
                "tools": [{"name": "list_dir", "input": {}}, {"name": "read_file", "input": {"path": "config.json"}}]}
        times = 100 if "SESSIONKIT_SOAK" in os.environ else 6
        for fake, provider in self.in_both(*([call, call, {"text": "word " * 20, "delay_ms": 3}] * times)):
            said = 0
            for _ in range(times):
                terminal = Terminal(self, CHAT, *self.flags(fake, provider, "-c"))
                terminal.prompt()
                terminal.type(f"Turn {said}\n")
                said += 1
                terminal.expect("assistant> ")
                time.sleep(chance.random() * 0.4)
                terminal.kill()
            self.check_state(fake, None)
            fake = FakeProvider(self)
            self.assertIn('First you said: "Turn 0', self.chat(fake, provider, "What was first?\n", "-c"))
            self.check_state(fake, 1)
            out = self.chat(fake, provider, "/history\n", "-c")
            self.assertEqual(re.findall(r"you> Turn (\d+)\n", out), [str(i) for i in range(said)])

    def test_the_fake_provider_refuses_like_a_real_one(self):
        fake = FakeProvider(self)

        def post(path, body, **headers):
            request = urllib.request.Request(fake.url + path, json.dumps(body).encode(),
                                             {"anthropic-version": "2023-06-01", **headers})
            try:
                with urllib.request.urlopen(request, timeout=10) as reply:
                    return reply.status, json.load(reply)
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, json.load(error)

        def anthropic(*messages):
            return post("/v1/messages", {"model": "m", "max_tokens": 9, "messages": list(messages)})

        def openai(*messages):
            return post("/v1/chat/completions", {"model": "m", "messages": list(messages)})

        user = {"role": "user", "content": "Hello"}
        call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "x", "input": {}}]}
        status, answer = anthropic(user)  # not streamed
        self.assertEqual((status, answer["content"][0]["text"]), (200, 'You said "Hello". I remember 1 of your messages.'))
        for messages in ([], [call], [user, user], [user, call], [user, call, user]):
            status, answer = anthropic(*messages)
            self.assertEqual((status, answer["error"]["type"]), (400, "invalid_request_error"), messages)
        status, answer = openai(user)
        self.assertEqual((status, answer["choices"][0]["finish_reason"]), (200, "stop"))
        function = {"role": "assistant", "content": None, "tool_calls": [
            {"id": "t1", "type": "function", "function": {"name": "x", "arguments": "{}"}}]}
        for messages in ([], [user, function, user], [user, {"role": "tool", "tool_call_id": "t1", "content": "x"}]):
            self.assertEqual(openai(*messages)[0], 400, messages)
        self.assertEqual(len(fake.state["refused"]), 8)
        connection = http.client.HTTPConnection(fake.url.split("//")[1], timeout=10)
        connection.request("POST", "/v1/other", "{}")
        self.assertEqual(connection.getresponse().status, 404)
        connection.close()


if __name__ == "__main__":
    unittest.main()
