# SPDX-License-Identifier: MIT
"""The screens in README.md and docs/ are what the program prints."""
import os
import pathlib
import re
import shutil
import unittest

from support import DATA, HERE, SESSIONKIT, ProgramTest

ROOT = HERE.parent.parent
PAGES = [ROOT / "README.md", ROOT / "docs" / "history.md"]


class Screens(ProgramTest):
    def play(self, commands):
        """The screen of a shell in a folder that has the tests' data and no terminal."""
        if not (self.folder / "tests").exists():
            shutil.copytree(DATA, self.folder / "tests" / "data")
        script = "exec 2>&1\n" + "".join(f"cat <<'SCREEN'\n$ {command}\nSCREEN\n{command}\n" for command in commands)
        path = f"{pathlib.Path(SESSIONKIT).resolve().parent}{os.pathsep}{os.environ['PATH']}"
        return self.run_program("-c", script, program="sh", env={"PATH": path}).stdout.decode()

    def test_each_is_what_the_program_prints(self):
        for page in PAGES:
            screens = re.findall(r"^```text\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
            self.assertTrue(screens, page)
            self.check(screens)

    def check(self, screens):
        for screen in screens:
            self.assertEqual(self.play(re.findall(r"^\$ (.*)$", screen, re.MULTILINE)), screen)


if __name__ == "__main__":
    unittest.main()
