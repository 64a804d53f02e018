#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kjanker/cli-chatgpt-cpp, a chat in a terminal, with its messages in a session.

The host has no tools, so it is killed between a question and its answer.
"""
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True
from host_case import FakeProvider, Host, main  # noqa: E402


class CliChatGpt(Host):
    repository = "kjanker/cli-chatgpt-cpp"
    commit = "d98ec02fa99d57dbc1f510e36998425b903f3f66"
    before = 38
    needs = {"curl/curl.h": "libcurl4-openssl-dev"}
    sources = ["src/main.cpp", "src/chatsession.cpp", "src/utilities.cpp"]
    include = ["include"]
    libraries = ["-lcurl"]

    @classmethod
    def change_for_test(cls):
        """The address of the server, which is fixed in the host."""
        file = cls.copy / "include/openai.hpp"
        text = file.read_text(encoding="utf-8")
        fixed = 'base_url{ "https://api.openai.com/v1/" }'
        assert fixed in text
        file.write_text(text.replace(fixed, 'base_url{ std::getenv("TEST_URL") }'), encoding="utf-8")

    def setUp(self):
        super().setUp()
        (self.folder / "config.json").write_bytes((self.copy / "config.json").read_bytes())

    def environment(self, fake):
        return {"TEST_URL": fake.url + "/v1/", "OPENAI_API_KEY": "none"}

    def test_lines(self):
        self.check_lines(sum(edits.added for edits in self.adapter))

    def test_a_restart_continues_the_conversation(self):
        fake = FakeProvider(self)
        self.assertIn('You said "Hello". I remember 1 of', self.run_host(fake, "Hello\n"))
        out = self.run_host(fake, "What was first?\n")
        self.assertIn('First you said: "Hello"', out)
        self.check_accepted(fake, 3)  # the greeting, and two questions
        self.assertEqual([line["message"]["role"] for line in self.stored()[1:]], ["assistant", *["user", "assistant"] * 2])
        before, after = (request["messages"] for request in fake.requests[-2:])
        self.assertEqual(after[:len(before)], before)
        self.assertEqual(after[0]["role"], "system")

    def test_killed_while_it_waits_for_the_answer(self):
        fake = FakeProvider(self, [{"text": "I am ready."}])
        host = self.start(fake)
        self.wait_for(lambda: len(self.stored()) == 2)  # the header and the greeting
        fake.pause()
        host.stdin.write("How high is it?\n")
        host.stdin.flush()
        self.wait_for(lambda: len(self.stored()) == 3)
        host.send_signal(signal.SIGKILL)
        host.wait()
        fake.stop()
        self.assertEqual(self.stored()[-1]["message"]["role"], "user")

        fake = FakeProvider(self, [{"when": "How high", "text": "It is 2,469 m high."}])
        out = self.run_host(fake, "And how old?\n")
        self.assertIn("It is 2,469 m high.", out)  # the open question is answered first
        self.check_accepted(fake, 2)
        self.assertEqual([message["role"] for message in fake.requests[-1]["messages"]],
                         ["system", "assistant", "user", "assistant", "user"])


if __name__ == "__main__":
    main(CliChatGpt)
