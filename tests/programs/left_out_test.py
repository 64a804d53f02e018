# SPDX-License-Identifier: MIT
"""Models that reason, in every profile and both programs: no answer is refused because a line cannot represent it."""
import signal
import unittest

from host import FakeProvider, HostTest, needs_curl
from live import CHAT, Run

# What an answer has beside its text and its calls, as steps of the fake provider's script.
BLOCKS = {
    "nothing": {},
    "signed reasoning": {"thinking": "Let me see."},
    "reasoning": {"thinking": "Let me see.", "unsigned": True},
    "redacted reasoning": {"redacted": "ZGF0YQ=="},
    "an unknown block": {"block": {"type": "citation_list", "urls": []}},
}
PROFILES = ("native", "ai_panel", "zyhive", "claw0", "zeroclaw", "blades", "ephemeral")
PROVIDERS = ("anthropic", "openai", "scripted")


def steps_of(words, block):
    """A turn: a call of a tool, then the answer, both with the block."""
    call = {"name": "list_dir", "input": {"path": "."}}
    return [{"text": "I look.", "tools": [call], **block}, {"text": f"Done: {words}.", **block}]


class LeftOut(HostTest):
    def provider(self, name, steps):
        """Arguments of both programs, and the server, if there is one."""
        if name == "scripted":
            return self.scripted(*steps), None
        fake = FakeProvider(self, steps)
        return ("--provider", name, "--base-url", fake.base_url(name)), fake

    def check_refused(self, fake):
        if fake is not None:
            self.assertEqual(fake.state["refused"], [])

    @needs_curl
    def test_every_block_in_every_profile_through_the_chat_host(self):
        turns = 0
        for profile in PROFILES:
            for name in PROVIDERS:
                with self.subTest(f"{profile}, {name}"):
                    self.store = self.folder / f"{profile}-{name}"
                    steps = [step for words, block in BLOCKS.items() for step in steps_of(words, block)]
                    arguments, fake = self.provider(name, steps)
                    host = self.host("--profile", profile, *arguments)
                    session = None
                    for words in BLOCKS:
                        said, done = host.chat(words, session)
                        self.assertTrue(said.endswith(f"Done: {words}."), said)
                        session = done["sessionId"]
                        turns += 1
                    if profile != "ephemeral":
                        host.kill(signal.SIGTERM)
                        host = self.host("--profile", profile, *(arguments if fake else ()))
                    talk = host.talk(session)
                    for words in BLOCKS:
                        self.assertIn(("user", words), talk)
                        self.assertTrue(any(text.endswith(f"Done: {words}.") for role, text in talk if role == "assistant"), talk)
                    said, _ = host.chat("What did I say first?", session)
                    host.kill(signal.SIGTERM)
                    self.assertEqual(said, 'First you said: "nothing"')
                    self.check_refused(fake)
        print(f"chat_host: {turns} turns ({len(BLOCKS)} blocks x {len(PROFILES)} profiles x {len(PROVIDERS)} providers), 0 lost")

    @needs_curl
    def test_every_block_in_every_profile_through_the_terminal_program(self):
        turns = 0
        for profile in PROFILES:
            for name in PROVIDERS:
                with self.subTest(f"{profile}, {name}"):
                    self.store = self.folder / f"{profile}-{name}"
                    steps = [step for words, block in BLOCKS.items() for step in steps_of(words, block)]
                    arguments, fake = self.provider(name, steps)
                    lines = [*BLOCKS, "What did I say first?", "/quit"]
                    out = self.chat("\n".join(lines) + "\n", profile, arguments)
                    for words in BLOCKS:
                        self.assertIn(f"Done: {words}.", out)
                        turns += 1
                    self.assertIn('First you said: "nothing"', out)
                    if profile != "ephemeral":
                        again = self.chat("What did I say first?\n/quit\n", profile, arguments if fake else ())
                        self.assertIn(f"Restored: {len(BLOCKS) + 1} previous turns", again)
                        self.assertIn('First you said: "nothing"', again)
                    self.check_refused(fake)
        print(f"chat: {turns} turns ({len(BLOCKS)} blocks x {len(PROFILES)} profiles x {len(PROVIDERS)} providers), 0 lost")

    def chat(self, stdin, profile, arguments):
        run = Run(self.run_program("--store", self.store, "--profile", profile, *arguments, program=CHAT, stdin=stdin))
        self.assertEqual((run.code, run.err), (0, ""), run)
        return run.out


if __name__ == "__main__":
    unittest.main()
