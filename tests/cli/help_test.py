# SPDX-License-Identifier: MIT
"""Help in groups, with a word for each value, and what a person may have meant."""
import json
import os
import re
import unittest

from support import HERE, ProgramTest

GROUPS = ["Find and read", "What a model is sent", "Continue and change", "Copy and convert", "Clean, check and repair",
          "Set up the shell"]


class Help(ProgramTest):
    def test_each_verb_is_in_one_group(self):
        text = self.ok("--help").out
        self.assertEqual(re.findall(r"^([A-Z][A-Za-z, ]+):$", text, re.MULTILINE), [*GROUPS, "Options of all commands"])
        listed = self.verbs()
        self.assertEqual(len(listed), len(set(listed)))
        known = re.search(r"_sessionkit_verbs\(\) { echo '(.*?)'", self.ok("completion", "bash").out).group(1)
        self.assertEqual(sorted(listed), sorted(known.split()))

    def test_each_option_with_a_value_has_a_word_for_it_and_no_flag_has_one(self):
        taking = set(re.search(r"_sessionkit_values\(\) { echo '(.*?)'", self.ok("completion", "bash").out).group(1).split())
        seen = set()
        for verb in [[], *([verb] for verb in self.verbs())]:
            for names, word in re.findall(r"^  ((?:-\w, )?--[\w-]+)( [A-Z/]+)?(?:  |$)", self.ok(*verb, "--help").out, re.MULTILINE):
                for name in names.split(", "):
                    self.assertEqual(bool(word), name in taking, (verb, name))
                    seen.add(name)
        self.assertLessEqual(taking, seen)

    def test_lines_are_no_longer_than_the_screen(self):
        for columns in (60, 200):
            for verb in [[], *([verb] for verb in self.verbs())]:
                text = self.ok(*verb, "--help", env={"COLUMNS": str(columns)}).out.partition("Examples:\n")[0]
                if not verb:
                    text = text.partition("A SESSION is")[0]
                for line in text.splitlines():
                    if not line.startswith("Usage:"):
                        self.assertLessEqual(len(line), min(columns, 100), (verb, line))

    def test_help_is_a_command_too(self):
        self.assertEqual(self.ok("help").out, self.ok("--help").out)
        self.assertEqual(self.ok("help", "export").out, self.ok("export", "--help").out)
        self.assertIn("did you mean: sessionkit export", self.fails(2, "help", "exprt").err)

    def test_the_golden_screens(self):
        for name, args in (("help.txt", ["--help"]), ("help_export.txt", ["export", "--help"])):
            path = HERE / "golden" / name
            text = self.ok(*args).out
            if os.environ.get("SESSIONKIT_UPDATE_GOLDEN"):
                path.write_text(text)
            self.assertEqual(text, path.read_text())


class Meant(ProgramTest):
    def test_a_mistyped_option_gives_the_one_that_was_meant(self):
        for line, meant in (("ls --limitt 5", "--limit N"), ("ls --lim 5", "--limit N"), ("export x --html", "--to html"),
                            ("export --markdown", "--to markdown"), ("show x --thinkin", "--thinking"),
                            ("ls --jsn", "--json"), ("--stroe x ls", "--store STORE"), ("ls --limitt=5", "--limit N"),
                            ("history x --deepseek", "--server deepseek")):
            run = self.fails(2, *line.split())
            self.assertIn(f"hint: did you mean: {meant} (", run.err, line)
            self.assertRegex(run.err, r"has no option '--[a-z]+'\n")
            self.assertEqual(run.out, "")

    def test_nothing_is_suggested_where_nothing_is_near(self):
        for line in ("ls --frobnicate", "ls -x"):
            run = self.fails(2, *line.split())
            self.assertIn("hint: see all options: sessionkit ls --help", run.err)
        self.assertIn("takes no further argument 'b'", self.fails(2, "show", "a", "b").err)

    def test_the_error_as_json_is_the_same(self):
        error = json.loads(self.fails(2, "ls", "--json", "--limitt", "5").err)["error"]
        self.assertEqual((error["code"], error["exit"]), ("usage", 2))
        self.assertIn("--limit N", error["hint"])


if __name__ == "__main__":
    unittest.main()
