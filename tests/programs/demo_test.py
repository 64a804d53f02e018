# SPDX-License-Identifier: MIT
"""The demonstration: what scripts/demo-show prints is what it says."""
import re
import subprocess
import unittest

from live import HERE, Terminal
from support import CHAT, ProgramTest

ROOT = HERE.parent.parent


class Demo(ProgramTest):
    def show(self, *arguments):
        return subprocess.run([ROOT / "scripts/demo-show", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=300, check=False, env=self.environment())

    def test_the_show_kills_continues_sends_and_opens(self):
        before = set((ROOT / "build").glob("demo-show.*"))
        run = self.show(CHAT, "4")
        self.assertEqual((run.returncode, run.stderr), (0, ""), run)
        killed, resumed, sent, big = re.split(r"\n== .*\n", run.stdout)[1:]
        self.assertIn('[read_file {"path":"config.json"}]', killed)
        self.assertIn("the second one could", killed)
        self.assertNotIn("process was killed", killed)  # the end of the answer
        self.assertIn("Restored: 1 previous turns\n[the last answer was cut when the program was killed; its text was kept]\n"
                      "you> What is in config.json?\n", resumed)
        self.assertRegex(resumed, r"assistant> It retries 3 times\..* the second one could.* \[interrupted\]\n")
        self.assertIn('  -> {"key": "value", "retries": 3}\n', resumed)
        self.assertIn('First you said: "What is in config.json?"', resumed)
        bodies = dict(re.findall(r"^(\S+)\n((?:  .*\n)+)", sent, re.MULTILINE))
        words = {"anthropic": '"type":"tool_use"', "openai": '"tool_calls":', "openai-responses": '"type":"function_call"',
                 "gemini": '"functionCall":'}
        self.assertEqual(set(bodies), set(words))
        for provider, word in words.items():
            self.assertIn(word, re.sub(r"\n  ", "", bodies[provider]), provider)
            self.assertLessEqual(max(map(len, bodies[provider].splitlines())), 80)
        self.assertEqual(len(re.findall(r"\d\.\d\d s$", big, re.MULTILINE)), 3, big)
        self.assertEqual(set((ROOT / "build").glob("demo-show.*")), before)

    def test_at_a_terminal_the_show_ends_at_a_prompt(self):
        """Builds the demonstration if that was not done yet."""
        terminal = Terminal(self, ROOT / "scripts/demo", "--show", "--size", "1", env=self.environment())
        for title in ("== 1. A conversation with a tool", "== 2. The same log", "== 3. A session of 1 MB", "== 4. Your turn"):
            terminal.expect(title, 500)
        terminal.prompt()
        terminal.type("/quit\n")
        self.assertEqual(terminal.wait(), 0)

    def test_a_size_is_a_number(self):
        self.assertEqual(self.show(CHAT, "x").returncode, 2)


if __name__ == "__main__":
    unittest.main()
