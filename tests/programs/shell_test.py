# SPDX-License-Identifier: MIT
"""Real shells complete the options of chat and chat_host. Shells that are not installed are skipped."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

from host import CHAT_HOST
from support import CHAT, ProgramTest
import completion_test as store_tool

QUESTIONS = {  # typed text, required offers, forbidden offers
    "chat": [("chat --pro", {"--profile", "--provider"}, {"--print"}), ("chat --store x --no-s", {"--no-session", "--no-stream"}, {"--json"}),
             ("chat --system note", {"notes.txt"}, {"--store"})],
    "chat_host": [("chat_host --ma", {"--make-titles"}, {"--model"}), ("chat_host --users", {"--users-file"}, {"--user"}),
                  ("chat_host --page note", {"notes.txt"}, {"--port"})],
}


class Shells(ProgramTest):
    def setUp(self):
        super().setUp()
        self.programs = {"chat": CHAT, **({"chat_host": CHAT_HOST} if CHAT_HOST else {})}
        self.path = f"{pathlib.Path(CHAT).resolve().parent}{os.pathsep}{os.environ['PATH']}"
        (self.folder / "notes.txt").write_text("")

    def out(self, name, *arguments):
        run = self.run_program(*arguments, program=self.programs[name])
        self.assertEqual((run.returncode, run.stderr), (0, b""), run)
        return run.stdout.decode()

    def script(self, name, shell):
        file = self.folder / f"_{name}"
        file.write_text(self.out(name, "--completion", shell))
        return file

    def shell(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd=self.folder,
                              env=self.environment({"PATH": self.path}))
        self.assertEqual(done.stderr, "")
        return done.stdout

    def ask(self, shell, answer):
        for name in self.programs:
            source = self.script(name, shell)
            for line, offered, not_offered in QUESTIONS[name]:
                words = answer(name, source, line, offered)
                self.assertLessEqual(offered, words, line)
                self.assertFalse(not_offered & words, (line, words))

    def test_every_option_of_the_help_is_in_every_script(self):
        for name in self.programs:
            options = set(re.findall(r"(?:^  |, ?)(--?[a-z][a-z-]*)", self.out(name, "--help"), re.MULTILINE))
            self.assertGreater(len(options), 25)
            for shell in ("bash", "zsh", "fish"):
                script = self.out(name, "--completion", shell)
                for option in options:
                    spelled = option if shell != "fish" else f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
                    self.assertRegex(script, rf"(?<![a-z-]){re.escape(spelled)}(?![a-z-])", (name, shell))

    def test_another_shell_is_refused(self):
        for program in self.programs.values():
            self.assertEqual(self.run_program("--completion", "tcsh", program=program).returncode, 2)

    def test_bash(self):
        def answer(name, source, line, _):
            words = line.split()
            code = (f"source {source}; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _{name} {name}; "
                    f"[ ${{#COMPREPLY[@]}} = 0 ] && compgen -f -- {words[-1]}; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
            return set(self.shell("bash", "--norc", "-c", code).split())

        self.ask("bash", answer)
        for name in self.programs:
            shown = self.shell("bash", "--norc", "-c", f"source {self.script(name, 'bash')}; complete -p {name}")
            self.assertEqual(shown, f"complete -o default -F _{name} {name}\n")

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh(self):
        (self.folder / ".zshrc").write_text(
            f"fpath=({self.folder} $fpath); autoload -Uz compinit; compinit -u -D\nPS1='> '; LISTMAX=1000; setopt no_beep\n"
            "zstyle ':completion:*' list-prompt ''; zstyle ':completion:*' insert-tab false\nbindkey '^X' list-choices\n")
        self.ask("zsh", lambda _name, _source, line, offered: store_tool.Completion.zsh_answer(self, line, offered))

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish(self):
        def answer(_name, source, line, _offered):
            out = self.shell("fish", "--no-config", "-c", f"source {source}; complete -C {shlex.quote(line)}")
            return {choice.split("\t")[0] for choice in out.splitlines()}

        self.ask("fish", answer)


if __name__ == "__main__":
    unittest.main()
