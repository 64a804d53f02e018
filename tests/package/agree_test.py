# SPDX-License-Identifier: MIT
"""Versions, options, components and dependencies agree in every file that names them."""
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BACKENDS = {path.parent.name for path in (ROOT / "include/sessionkit").glob("*/src.hpp")} - {"testing"}


def text(path):
    return (ROOT / path).read_text()


class Agree(unittest.TestCase):
    def test_the_version(self):
        version = re.search(r'#define SESSIONKIT_VERSION "(.+)"', text("include/sessionkit/version.hpp")).group(1)
        for part, number in zip(("MAJOR", "MINOR", "PATCH"), version.split(".")):
            self.assertIn(f"#define SESSIONKIT_VERSION_{part} {number}\n", text("include/sessionkit/version.hpp"))
        self.assertEqual(json.loads(text("packaging/vcpkg/sessionkit/vcpkg.json"))["version"], version)
        asked = ".".join(version.split(".")[:2])
        for path in ("README.md", "docs/stores.md", "tests/package/consumer/CMakeLists.txt",
                     "packaging/vcpkg/sessionkit/usage"):
            for found in re.findall(r"find_package\(sessionkit (\S+)", text(path)):
                self.assertEqual(found, asked, path)

    def test_the_backends(self):
        self.assertEqual(BACKENDS, {"sqlite", "redis", "postgres", "mongo"})
        cmake = text("CMakeLists.txt") + text("cmake/SessionkitTargets.cmake")
        self.assertEqual({name.lower() for name in re.findall(r"SESSIONKIT_WITH_([A-Z]+) \"AUTO\"", cmake)}, BACKENDS)
        self.assertEqual(set(re.findall(r'sessionkit_add_backend\((\w+) [A-Z]\w+ PC "', cmake)), BACKENDS)
        config = text("cmake/sessionkitConfig.cmake.in")
        self.assertEqual(set(re.findall(r'"(\w+)" IN_LIST sessionkit_FIND_COMPONENTS', config)),
                         BACKENDS | {"header_only", "json", "testing"})
        recipe = text("conanfile.py")
        self.assertEqual(set(re.findall(r'"with_(\w+)": \[True, False\]', recipe)), BACKENDS)
        port = json.loads(text("packaging/vcpkg/sessionkit/vcpkg.json"))
        self.assertEqual(set(port["features"]), BACKENDS)
        self.assertEqual(set(re.findall(r"(\w+) SESSIONKIT_WITH_\w+", text("packaging/vcpkg/sessionkit/portfile.cmake"))),
                         BACKENDS)
        for name in BACKENDS:
            self.assertTrue((ROOT / f"include/sessionkit/{name}/src.hpp").exists(), name)
            self.assertIn(f"sessionkit::{name}", text("docs/stores.md"))

    def test_the_description(self):
        cmake = re.search(r'DESCRIPTION "(.+?)"', text("CMakeLists.txt")).group(1)
        self.assertEqual(json.loads(text("packaging/vcpkg/sessionkit/vcpkg.json"))["description"], cmake)
        self.assertIn(f'description = "{cmake}"', text("conanfile.py"))


if __name__ == "__main__":
    unittest.main()
