# SPDX-License-Identifier: MIT
"""The screens in README.md are what the program prints."""
import os
import pathlib
import re
import shutil
import unittest

from support import DATA, HERE, SESSIONKIT, ProgramTest

README = HERE.parent.parent / "README.md"


class Screens(ProgramTest):
    def play(self, commands):
        """The screen of a shell in a folder that has the tests' data and no terminal."""
        if not (self.folder / "tests").exists():
            shutil.copytree(DATA, self.folder / "tests" / "data")
        script = "exec 2>&1\n" + "".join(f"cat <<'SCREEN'\n$ {command}\nSCREEN\n{command}\n" for command in commands)
        path = f"{pathlib.Path(SESSIONKIT).resolve().parent}{os.pathsep}{os.environ['PATH']}"
        return self.run_program("-c", script, program="sh", env={"PATH": path}).stdout.decode()

    def test_each_is_what_the_program_prints(self):
        screens = re.findall(r"^```text\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
        self.assertTrue(screens)
        for screen in screens:
            self.assertEqual(self.play(re.findall(r"^\$ (.*)$", screen, re.MULTILINE)), screen)


if __name__ == "__main__":
    unittest.main()
