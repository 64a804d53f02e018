# SPDX-License-Identifier: MIT
"""The chat example continues indefinitely inside a small window. The long form has 5,000 turns."""
import importlib.util
import json
import os
import subprocess
import threading
import unittest

from support import CHAT, HERE, ProgramTest

spec = importlib.util.spec_from_file_location("check_anthropic", HERE.parent / "oracle" / "check_anthropic.py")
check_anthropic = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_anthropic)

WINDOW = 8000
TURNS = 5000 if "SESSIONKIT_SOAK" in os.environ else 250


class Window(ProgramTest):
    def chat(self, lines, *args, window=WINDOW):
        """Plays the lines; each request is checked as it is sent, by another program's rules."""
        pipe = self.folder / "requests"
        os.mkfifo(pipe)
        self.requests, self.largest, self.systems, self.findings = 0, 0, [], []

        def read():
            with open(pipe, encoding="utf-8") as requests:
                for line in requests:
                    request = json.loads(line)
                    self.requests += 1
                    self.largest = max(self.largest, len(line.encode()) // 4)
                    self.findings += check_anthropic.check(request["messages"], mode="strict")
                    self.systems.append(request["system"])

        reader = threading.Thread(target=read)
        reader.start()
        done = subprocess.run([CHAT, "--window", str(window), "--requests", str(pipe), *args],
                              input="\n".join(lines) + "\n", text=True, capture_output=True, env=self.environment(),
                              cwd=self.folder, timeout=3000, check=False)
        os.close(os.open(pipe, os.O_RDWR | os.O_NONBLOCK))  # if nobody wrote, the reader still waits
        reader.join()
        pipe.unlink()
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout[-2000:])
        self.assertEqual(self.findings, [])
        return done.stdout

    def session(self):
        return self.ok("ls").out.split("\t")[0]

    def test_a_conversation_runs_to_its_end_inside_a_small_window(self):
        lines = ["My name is Mirabelle of Ghent."]
        for i in range(1, TURNS):
            filler = "x" * (i * 37 % 400)
            lines.append("What is in config.json?" if i % 5 == 0 else f"Turn {i} {filler}")
        out = self.chat(lines)
        compactions = out.count("[compaction: applied]")
        self.assertEqual(out.count("[compaction:"), compactions)
        self.assertNotIn("not compacted", out)
        print(f"{TURNS} turns, {self.requests} requests of {self.largest} tokens at most, {compactions} compactions")
        self.assertGreater(compactions, TURNS // 60)
        self.assertLess(compactions, TURNS // 4)
        self.assertLessEqual(self.largest, WINDOW)
        self.assertGreater(self.requests, TURNS * 11 // 10)
        self.assertIn("Mirabelle of Ghent", self.systems[-1])

        info = self.ok("ls", "--json").json["sessions"][0]
        self.assertEqual(info["turns"], TURNS)
        entries = [json.loads(line) for line in self.file_of(info["id"]).read_text(encoding="utf-8").splitlines()]
        said = ["".join(part["text"] for part in entry["message"]["content"] if part["type"] == "text")
                for entry in entries if entry["type"] == "message" and entry["message"]["role"] == "user"]
        self.assertEqual(said, lines)  # the log holds all turns
        self.assertEqual(sum(entry["type"] == "compaction" for entry in entries), compactions)
        self.ok("verify", info["id"])

    def test_a_request_that_the_model_refuses_is_made_shorter_once(self):
        wide = 60_000
        out = self.chat(["Hello " + "y" * 3000 for _ in range(12)], window=wide)
        self.assertNotIn("compaction", out)
        out = self.chat(["And now?"], window=6000)  # another model, with a smaller window
        self.assertEqual(out.count("[compaction: applied]"), 1)
        self.assertIn("You said \"And now?\"", out)
        entries = [json.loads(line) for line in self.file_of(self.session()).read_text().splitlines()]
        self.assertEqual([e["details"]["reason"] for e in entries if e["type"] == "compaction"], ["context_exceeded"])

    def test_a_person_compacts_by_hand(self):
        lines = [f"Remember {i} " + "z" * 300 for i in range(30)]
        out = self.chat([*lines, "/compact", "/compact", "What was first?"], window=200_000)
        self.assertEqual(out.count("[compaction: applied]"), 1)
        self.assertEqual(out.count("[not compacted: there is nothing before the last"), 1)
        self.assertIn("- The user said: Remember 0", self.systems[-1])
        self.assertNotIn("- The user said: Remember 0", self.systems[-2])


if __name__ == "__main__":
    unittest.main()
