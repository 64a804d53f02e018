# SPDX-License-Identifier: MIT
"""The completion of real shells, asked for the next words. Shells that are not installed are skipped."""
import os
import pathlib
import pty
import select
import shlex
import shutil
import subprocess
import time
import unittest

from support import SESSIONKIT, ProgramTest

QUESTIONS = [  # typed text, required offers, forbidden offers
    ("sessionkit se", {"search", "set"}, {"ls", "show"}),
    ("sessionkit --store x hist", {"history"}, {"search"}),
    ("sessionkit history --prov", {"--provider"}, {"--keep-turns"}),
    ("sessionkit history --provider open", {"openai-chat", "openai-responses"}, {"anthropic"}),
    ("sessionkit show aaaa", {"aaaa-one", "aaaa-two"}, {"bbbb-three"}),
    ("sessionkit completion z", {"zsh"}, {"bash"}),
    ("sessionkit ls --co", {"--color"}, {"--code"}),
    ("sessionkit export @last --to ht", {"html"}, {"markdown"}),
]


class Completion(ProgramTest):
    def setUp(self):
        super().setUp()
        for session in ("aaaa-one", "aaaa-two", "bbbb-three"):
            self.new("--id", session)
        self.path = f"{pathlib.Path(SESSIONKIT).resolve().parent}{os.pathsep}{os.environ['PATH']}"

    def script(self, shell):
        path = self.folder / f"_{shell}"
        path.write_text(self.ok("completion", shell).out)
        return path

    def ask(self, answer):
        for line, offered, not_offered in QUESTIONS:
            words = answer(line, offered)
            self.assertLessEqual(offered, words, line)
            self.assertFalse(not_offered & words, (line, words))

    def shell(self, *command, **more):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60,
                              env=self.environment({"PATH": self.path}), **more)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_every_verb_is_in_every_script(self):
        verbs = self.verbs()
        self.assertGreater(len(verbs), 30)
        for shell in ("bash", "zsh", "fish"):
            script = self.ok("completion", shell).out
            self.assertEqual([verb for verb in verbs if verb not in script], [], shell)
            self.assertEqual(self.ok("completion", shell, "--json").json["script"], script)

    def test_bash(self):
        source = self.script("bash")

        def answer(line, _):
            words = line.split()
            code = (f"source {source}; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; "
                    "_sessionkit sessionkit; printf '%s\\n' \"${COMPREPLY[@]}\"")
            return set(self.shell("bash", "--norc", "-c", code).split())

        self.ask(answer)
        self.assertEqual(self.shell("bash", "--norc", "-c", f"source {source}; complete -p sessionkit").split()[-1], "sessionkit")

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh(self):
        self.script("zsh").rename(self.folder / "_sessionkit")
        (self.folder / ".zshrc").write_text(
            f"fpath=({self.folder} $fpath); autoload -Uz compinit; compinit -u -D\n"
            "PS1='> '; LISTMAX=1000; setopt no_beep\n"
            "zstyle ':completion:*' list-prompt ''; zstyle ':completion:*' insert-tab false\n"
            "bindkey '^X' list-choices\n")
        self.ask(self.zsh_answer)
        sourced = self.shell("zsh", "-f", "-c", f"autoload -Uz compinit; compinit -u -D; source {self.folder}/_sessionkit; "
                             "print $_comps[sessionkit]")
        self.assertEqual(sourced.strip(), "_sessionkit")

    def zsh_answer(self, line, offered):
        """Types the line into a zsh on a terminal and reads its list, until that has the expected offers."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-i"], self.environment(
                {"PATH": self.path, "ZDOTDIR": str(self.folder), "TERM": "dumb", "LINES": "60", "COLUMNS": "200"}))

        def read_until(enough):
            shown, end = b"", time.monotonic() + 30
            while not enough(shown) and time.monotonic() < end:
                if select.select([terminal], [], [], 0.2)[0]:
                    shown += os.read(terminal, 65536)
            return shown

        def words(shown):
            return set(shown.decode(errors="replace").replace(line, "", 1).split())

        read_until(lambda shown: b"> " in shown)
        os.write(terminal, line.encode() + b"\x18")
        shown = read_until(lambda shown: offered <= words(shown))
        os.close(terminal)
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        return words(shown)

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish(self):
        source = self.script("fish")

        def answer(line, _):
            out = self.shell("fish", "--no-config", "-c", f"source {source}; complete -C {shlex.quote(line)}")
            return {choice.split("\t")[0] for choice in out.splitlines()}

        self.ask(answer)


if __name__ == "__main__":
    unittest.main()
