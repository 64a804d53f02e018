# SPDX-License-Identifier: MIT
"""The install component sessionkit_tools, in a folder that the build has never seen: the programs, the page of the chat server,
manual pages and the completions of shells."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["BUILD"])
VERSION = os.environ["VERSION"]
PAGE = ROOT / "examples/chat_host/page"


def output(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def help_names(text):
    """Options, positionals and commands of a help text, as it spells them."""
    return re.findall(r"^  (-{1,2}[\w,-]+(?: --[\w-]+)?|[a-z][a-z-]+)(?= |$)", text, re.MULTILINE)


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        first = pathlib.Path(folder.name) / "first"
        output(os.environ["CMAKE"], "--install", BUILD, "--component", "sessionkit_tools", "--prefix", first)
        cls.prefix = pathlib.Path(folder.name) / "moved"
        first.rename(cls.prefix)

    def test_exactly_these_files_are_installed(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()}
        self.assertEqual(files, {"bin/sessionkit", "bin/chat_host", "share/man/man1/sessionkit.1", "share/man/man1/chat_host.1",
                                 "share/bash-completion/completions/sessionkit", "share/zsh/site-functions/_sessionkit",
                                 "share/fish/vendor_completions.d/sessionkit.fish",
                                 "share/doc/sessionkit-tools/copyright",
                                 "share/sessionkit/chat_host/markdown-it.js", "share/sessionkit/chat_host/highlight.js",
                                 *(f"share/sessionkit/chat_host/{path.name}" for path in PAGE.iterdir())})

    def test_the_store_tool_runs(self):
        self.assertEqual(output(self.prefix / "bin/sessionkit", "--version"), f"sessionkit {VERSION}\n")

    def test_the_chat_server_serves_the_installed_page(self):
        (self.prefix / "share/sessionkit/chat_host/page.css").write_text("/* the installed one */\n")
        with subprocess.Popen([self.prefix / "bin/chat_host", "--store", "memory:", "--port", "0", "--token", "t"],
                              stdout=subprocess.PIPE, text=True, cwd=self.prefix) as server:
            try:
                address = server.stdout.readline().split()[-1]
                with urllib.request.urlopen(f"{address}/page.css", timeout=20) as answer:
                    self.assertEqual(answer.read(), b"/* the installed one */\n")
            finally:
                server.terminate()

    def test_no_installed_file_names_the_source_tree(self):
        for path in self.prefix.rglob("*"):
            if path.is_file() and path.parent.name != "bin": # debug information names it
                self.assertNotIn(str(ROOT).encode(), path.read_bytes(), path)

    def test_a_manual_page_has_every_option_and_command_of_the_help(self):
        for program in ("sessionkit", "chat_host"):
            page = (self.prefix / f"share/man/man1/{program}.1").read_text().replace("\\-", "-")
            text = output(self.prefix / "bin" / program, "--help")
            names = help_names(text)
            self.assertGreater(len(names), 20)
            for command in re.findall(r"^  ([a-z][a-z-]*) {2,}", text, re.MULTILINE):
                self.assertIn(f"\n.SS {command}\n", page)
                names += [name for name in help_names(output(self.prefix / "bin" / program, command, "--help"))]
            for name in names:
                self.assertIn(name, page, program)
            self.assertIn(f'"sessionkit {VERSION}"', page)

    def test_a_manual_page_is_made_again_as_it_was(self):
        for program in ("sessionkit", "chat_host"):
            again = self.prefix.parent / f"{program}.1"
            output(sys.executable, ROOT / "scripts/man-page", self.prefix / "bin" / program, VERSION, again)
            self.assertEqual(again.read_bytes(), (self.prefix / f"share/man/man1/{program}.1").read_bytes())

    def test_groff_has_nothing_to_say_about_a_manual_page(self):
        self.assertTrue(shutil.which("groff"), "install groff-base: scripts/install-deps test")
        for program in ("sessionkit", "chat_host"):
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", self.prefix / f"share/man/man1/{program}.1"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("NAME", done.stdout)

    def test_the_completions_are_those_that_the_program_prints(self):
        for shell, place in (("bash", "bash-completion/completions/sessionkit"), ("zsh", "zsh/site-functions/_sessionkit"),
                             ("fish", "fish/vendor_completions.d/sessionkit.fish")):
            self.assertEqual((self.prefix / "share" / place).read_text(),
                             output(self.prefix / "bin/sessionkit", "completion", shell), shell)


if __name__ == "__main__":
    unittest.main()
