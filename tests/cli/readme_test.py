# SPDX-License-Identifier: MIT
"""The screens in README.md and docs/ match the program's output, and the commands shown there are its commands."""
import os
import pathlib
import re
import shlex
import shutil
import unittest

from support import DATA, HERE, SESSIONKIT, ProgramTest

ROOT = HERE.parent.parent
BIN = pathlib.Path(SESSIONKIT).parent.resolve()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"(?:^|[$|(`]) *(sessionkit|chat|chat_host) ([^`\n]*)", re.MULTILINE)


def screens_of(page):
    """Blocks of text with prompts: each is played unchanged. Commands that cannot be played are in blocks of
    `sh`, or of `console` with what it may print."""
    return [body for language, body in FENCE.findall(page.read_text())
            if language == "text" and re.search(r"^\$ ", body, re.MULTILINE)]


def commands_of(page):
    """Each `sessionkit ...`, `chat ...`, `chat_host ...` in code: (program, words), up to the next shell operator."""
    text = page.read_text()
    code = [body for language, body in FENCE.findall(text) if language in ("text", "console", "sh", "")]
    code += [f"`{span}`" for span in re.findall(r"`((?:sessionkit|chat|chat_host) [^`]+)`", FENCE.sub("", text))]
    for program, rest in (found.groups() for body in code for found in COMMAND.finditer(body)):
        lexer = shlex.shlex(rest, posix=True, punctuation_chars="|;&<>()")
        lexer.whitespace_split, lexer.commenters = True, "#"
        words = []
        for word in lexer:
            if set(word) <= set("|;&<>()"):
                break
            words.append(word)
        yield program, words


class Screens(ProgramTest):
    def play(self, commands):
        """The screen of a shell in a folder that has the tests' data and no terminal."""
        if not (self.folder / "tests").exists():
            shutil.copytree(DATA, self.folder / "tests" / "data")
            for path in (self.folder / "tests" / "data" / "moving").rglob("*"):
                os.utime(path, (1_700_000_000, 1_700_000_000))  # no program writes to them, however new the checkout is
        script = "exec 2>&1\n" + "".join(f"cat <<'SCREEN'\n$ {command}\nSCREEN\n{command}\n" for command in commands)
        path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
        return self.run_program("-c", script, program="sh", env={"PATH": path}).stdout.decode()

    def test_each_screen_matches_the_output_of_the_program(self):
        for name in ("README.md", "docs/history.md", "docs/guides/moving.md"):
            self.assertTrue(screens_of(ROOT / name), name)
        for page in PAGES:
            for screen in screens_of(page):
                with self.subTest(page.name):
                    self.assertEqual(self.play(re.findall(r"^\$ (.*)$", screen, re.MULTILINE)), screen)


class Commands(ProgramTest):
    def options_of(self, program, *verb):
        help_ = self.run_program(*verb, "--help", program=program)
        table = re.findall(r"^  ((?:--?[\w-]+(?:, ?)?)+)", (help_.stdout + help_.stderr).decode(), re.MULTILINE)
        return {name for names in table for name in re.split(r", ?", names)}

    def test_verbs_and_options_are_those_of_the_programs(self):
        verbs = set(self.verbs())
        self.assertGreater(len(verbs), 15)
        everywhere = self.options_of(SESSIONKIT)
        known = {verb: self.options_of(SESSIONKIT, verb) | everywhere for verb in verbs}
        known[""] = known["help"] = everywhere
        for path in (BIN / "chat", BIN / "chat_host"):
            if path.exists():  # chat_host needs a library of its own
                known[path.name] = self.options_of(path)
        seen = 0
        for page in PAGES:
            for program, words in commands_of(page):
                if program == "chat_host" and program not in known:
                    continue
                verb = program if program != "sessionkit" else "" if words[0].startswith("-") else words[0]
                with self.subTest(page.name, command=" ".join(words)):
                    self.assertIn(verb, known)
                    given = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
                    self.assertLessEqual(given, known[verb])
                seen += 1
        self.assertGreater(seen, 60)


if __name__ == "__main__":
    unittest.main()
