# SPDX-License-Identifier: MIT
"""The commands of docs/guides/conan.md, as they are, with the package of packaging/conan/create. CONAN_WORK is its work
directory after the form center."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
USAGE = ROOT / "tests/package/conan_usage"
WORK = pathlib.Path(os.environ["CONAN_WORK"])
CONAN = shutil.which("conan") or str(WORK / "venv/bin/conan")
TURN = "What is in config.json?"


def package():
    graph = json.loads((WORK / "center.json").read_text())["graph"]["nodes"]
    return next(node for node in graph.values() if node["name"] == "sessionkit" and node["package_folder"])


def commands_of(heading):
    page = (ROOT / "docs/guides/conan.md").read_text()
    section = page[page.index(heading):]
    return re.search(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE).group(1).splitlines()


class Usage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Conan takes what its profile says from this one: the options and the build type of the package that there is."""
        cls.node = package()
        cls.build_type = cls.node["settings"]["build_type"]
        cls.folder = WORK / "usage"
        shutil.rmtree(cls.folder, ignore_errors=True)
        cls.folder.mkdir()
        profile = cls.folder / "profile"
        options = [f"sessionkit/*:{name}={value}" for name, value in cls.node["options"].items()]
        profile.write_text(f"include({WORK / 'system.profile'})\n[settings]\nbuild_type={cls.build_type}\n[options]\n"
                           + "\n".join(options) + "\n")
        path = os.pathsep.join([str(pathlib.Path(CONAN).parent), os.environ["PATH"]])
        cls.environment = {**os.environ, "PATH": path, "CONAN_HOME": str(WORK / "home"),
                           "CONAN_DEFAULT_PROFILE": str(profile), "CONAN_DEFAULT_BUILD_PROFILE": str(profile)}

    def run_line(self, line, folder):
        done = subprocess.run(["bash", "-c", line], cwd=folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}")
        return done.stdout

    def use(self, name, *files):
        """The program prints its first turn, and, run again, both."""
        folder = self.folder / name
        folder.mkdir()
        for file in files:
            shutil.copy(file, folder)
        # Several recipes of this version are in the cache of the tests. Conan reads conan.lock by itself.
        self.run_line(f"conan lock create --requires={self.node['ref']} --no-remote --lockfile-out=conan.lock", folder)
        *lines, program = commands_of("## 3. ")
        for line in lines:
            self.run_line(line.replace("=Release", f"={self.build_type}"), folder)
        for turns in (1, 2):
            self.assertEqual(self.run_line(program, folder).count(TURN), turns)

    def test_the_program_of_the_page(self):
        self.use("hello", USAGE / "conanfile.txt", ROOT / "tests/package/hello/CMakeLists.txt", ROOT / "examples/hello/hello.cpp")

    def test_the_program_with_a_database(self):
        if self.node["options"]["with_sqlite"] != "True":
            self.skipTest("the system has no SQLite")
        self.use("sqlite", *(USAGE / "sqlite" / name for name in ("conanfile.txt", "CMakeLists.txt", "hello.cpp")))


if __name__ == "__main__":
    unittest.main()
