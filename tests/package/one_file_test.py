# SPDX-License-Identifier: MIT
"""scripts/one-file: the same bytes each time and everywhere, nothing that is not ours, and nothing twice."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from one_file_forwards import ROOT, load_script

script = load_script()
HEADER, SOURCE = script.make(ROOT)
SYSTEM = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.MULTILINE)


class Tree(unittest.TestCase):
    """A small tree of sources, for what the real one does not have."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.include = pathlib.Path(folder.name)

    def write(self, name, *lines):
        (self.include / name).write_text("\n".join(("// SPDX-License-Identifier: MIT", "#pragma once", *lines, "")))

    def text_of(self, *names):
        return script.make_part(self.include, names).text()

    def test_a_file_is_placed_once_and_after_what_it_includes(self):
        self.write("a.hpp", "#include <vector>", "#include <b.hpp>", "#include <c.hpp>", "int a;")
        self.write("b.hpp", "#include <c.hpp>", "#include <vector>", "int b;")
        self.write("c.hpp", "#include <a.h>", "int c;")
        text = self.text_of("a.hpp", "b.hpp")
        self.assertEqual(re.findall(r"^int (\w);$", text, re.MULTILINE), ["c", "b", "a"])
        self.assertEqual(SYSTEM.findall(text), ["a.h", "vector"])
        self.assertNotIn("pragma", text)

    def test_a_file_of_a_condition_takes_the_place_of_its_include(self):
        self.write("a.hpp", "#if defined(X)", "#include <x.hpp>", "#else", "#include <y.h>", "#endif", "int a;")
        self.write("x.hpp", "#include <z.hpp>", "int x;")
        self.write("z.hpp", "int z;")
        lines = [line for line in self.text_of("a.hpp").splitlines() if line and not line.startswith("//")]
        self.assertEqual(lines, ["int z;", "#if defined(X)", "int x;", "#else", "#include <y.h>", "#endif", "int a;"])

    def test_a_file_that_a_condition_may_leave_out_is_refused_elsewhere(self):
        self.write("a.hpp", "#if defined(X)", "#include <x.hpp>", "#endif")
        self.write("b.hpp", "#include <x.hpp>")
        self.write("x.hpp", "int x;")
        with self.assertRaisesRegex(script.Refused, "x.hpp"):
            self.text_of("a.hpp", "b.hpp")


class Files(unittest.TestCase):
    def test_another_clone_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            clone = pathlib.Path(folder) / "clone"
            for name in ("include", "scripts/one-file", "LICENSE"):
                (clone / name).parent.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, clone / name)
            for name in ("first", "second"):
                subprocess.run([sys.executable, "-B", clone / "scripts/one-file", "-o", clone / name], check=True)
            for name, text in (("sessionkit.hpp", HEADER), ("sessionkit.cpp", SOURCE)):
                self.assertEqual((clone / "first" / name).read_bytes(), text.encode())
                self.assertEqual((clone / "second" / name).read_bytes(), (clone / "first" / name).read_bytes())
                self.assertNotIn(str(ROOT), text)

    def test_paths_of_windows_give_the_same_bytes(self):
        found = script.interface
        with unittest.mock.patch.object(script, "interface", lambda place: map(pathlib.PureWindowsPath, found(place))):
            self.assertEqual(tuple(script.make(ROOT)), (HEADER, SOURCE))

    def test_a_locale_without_utf8_gives_the_same_bytes(self):
        plain = {**os.environ, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
        said = [sys.executable, "-c", "import locale; print(locale.getpreferredencoding())"]
        self.assertNotIn("UTF-8", subprocess.run(said, env=plain, check=True, stdout=subprocess.PIPE, text=True).stdout)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-B", ROOT / "scripts/one-file", "-o", folder], check=True, env=plain)
            for name, text in (("sessionkit.hpp", HEADER), ("sessionkit.cpp", SOURCE)):
                self.assertEqual((pathlib.Path(folder) / name).read_bytes(), text.encode())

    def test_a_source_and_a_header_of_two_versions_are_refused(self):
        other = re.sub(r"(#define SESSIONKIT_VERSION_PATCH) (\d+)", lambda found: f"{found[1]} {int(found[2]) + 1}", HEADER)
        self.assertNotEqual(other, HEADER)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "sessionkit.hpp").write_bytes(other.encode())
            (pathlib.Path(folder) / "sessionkit.cpp").write_bytes(SOURCE.encode())
            command = [os.environ.get("CXX", "c++"), "-std=c++17", "-fsyntax-only", "sessionkit.cpp"]
            ended = subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, text=True)
        self.assertNotEqual(ended.returncode, 0)
        self.assertRegex(ended.stderr, "sessionkit.cpp is of version .*, and sessionkit.hpp beside it is of another one")
        self.assertEqual(ended.stderr.count("error:"), 1, ended.stderr)

    def test_each_source_file_is_in_one_of_them_once(self):
        folder = ROOT / "include/sessionkit"
        left_out = re.compile(r"(redis|postgres|mongo|testing)/|json\.hpp") # other components, a bridge to another library
        tree = {path: path.read_text(encoding="utf-8").splitlines() for path in sorted(folder.rglob("*.hpp"))}
        files = collections.Counter(line for lines in tree.values() for line in set(lines))
        copies = collections.Counter((HEADER + SOURCE).splitlines())
        seen = 0
        for path, lines in tree.items():
            code = [line for line in lines if line and not re.match(r"//|#\s*(include|pragma)\b", line)]
            if left_out.match(str(path.relative_to(folder))) or not code:
                continue
            own = max(code, key=len) # a line that hardly any other file has
            self.assertGreaterEqual(copies[own], 1, path)
            if files[own] == 1:
                self.assertEqual(copies[own], lines.count(own), path)
                seen += 1
        self.assertGreater(seen, 300)
        for text in (HEADER, SOURCE):
            self.assertEqual(SYSTEM.findall(text).count("cstdint"), text == HEADER)

    def test_they_name_the_version_and_the_licence_and_no_other_library(self):
        version = re.search(r'SESSIONKIT_VERSION "(.+)"', (ROOT / "include/sessionkit/version.hpp").read_text(encoding="utf-8"))[1]
        core = [text.split("#if defined(SESSIONKIT_SQLITE)\n")[0] for text in (HEADER, SOURCE)]
        for text, part in zip((HEADER, SOURCE), core):
            self.assertTrue(text.startswith("// SPDX-License-Identifier: MIT\n"))
            self.assertIn(f"// sessionkit {version}: ", text)
            self.assertIn("// Permission is hereby granted, free of charge,", text)
            self.assertRegex(text, r"(?m)^// app/sessionkit/ with -I app\. The program includes <sessionkit/sessionkit\.hpp> only")
            for name in SYSTEM.findall(part):
                if not name.startswith("fmt/"): # in the branch that SESSIONKIT_WITHOUT_FMT leaves out
                    self.assertRegex(name, r"^[a-z_0-9]+(\.h)?$|^(sys|netinet)/[a-z]+\.h$")
                    self.assertNotIn(name, ("sqlite3.h", "nlohmann/json.hpp"))
            self.assertNotRegex(part, r'#\s*include\s*"(?!sessionkit\.hpp")')


if __name__ == "__main__":
    unittest.main()
