# SPDX-License-Identifier: MIT
"""Versions, options, components and dependencies agree in every file that names them."""
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = "packaging/conan/all/conanfile.py"
BACKENDS = {path.parent.name for path in (ROOT / "include/sessionkit").glob("*/src.hpp")} - {"testing"}


def text(path):
    return (ROOT / path).read_text()


def load_release():
    sys.dont_write_bytecode = True # the script lies in the tree
    loader = importlib.machinery.SourceFileLoader("release", str(ROOT / "scripts/release"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
    loader.exec_module(module)
    return module


class Agree(unittest.TestCase):
    def test_the_version(self):
        version = re.search(r'#define SESSIONKIT_VERSION "(.+)"', text("include/sessionkit/version.hpp")).group(1)
        for part, number in zip(("MAJOR", "MINOR", "PATCH"), version.split(".")):
            self.assertIn(f"#define SESSIONKIT_VERSION_{part} {number}\n", text("include/sessionkit/version.hpp"))
        for name, line, found in load_release().spelled_versions(ROOT): # every file that a release writes or checks
            self.assertEqual(found, version, f"{name}:{line}")
        asked = ".".join(version.split(".")[:2])
        for path in ("README.md", "docs/stores.md", "tests/package/consumer/CMakeLists.txt",
                     "tests/package/hello/CMakeLists.txt", "docs/guides/conan.md", "packaging/vcpkg/sessionkit/usage"):
            for found in re.findall(r"find_package\(sessionkit (\S+)", text(path)):
                self.assertEqual(found, asked, path)
        major, minor, _ = (int(number) for number in version.split("."))
        for path in (ROOT / "tests/package/conan_usage").rglob("conanfile.txt"):
            self.assertIn(f"sessionkit/[>={major}.{minor} <{major}.{minor + 1}]\n", path.read_text())

    def test_the_backends(self):
        self.assertEqual(BACKENDS, {"sqlite", "redis", "postgres", "mongo"})
        cmake = text("CMakeLists.txt") + text("cmake/SessionkitTargets.cmake")
        self.assertEqual({name.lower() for name in re.findall(r"SESSIONKIT_WITH_([A-Z]+) \"AUTO\"", cmake)}, BACKENDS)
        self.assertEqual(set(re.findall(r'sessionkit_add_backend\((\w+) [A-Z]\w+ PC "', cmake)), BACKENDS)
        config = text("cmake/sessionkitConfig.cmake.in")
        self.assertEqual(set(re.findall(r'"(\w+)" IN_LIST sessionkit_FIND_COMPONENTS', config)),
                         BACKENDS | {"header_only", "json", "testing"})
        self.assertEqual(set(re.findall(r'"with_(\w+)": \[True, False\]', text(RECIPE))),
                         BACKENDS | {"fmt", "json"})
        for recipe in ("conanfile.py", RECIPE):
            self.assertEqual(set(re.findall(r'^        "(\w+)": "[\w-]+/', text(recipe), re.MULTILINE)), BACKENDS)
        port = json.loads(text("packaging/vcpkg/sessionkit/vcpkg.json"))
        self.assertEqual(set(port["features"]), BACKENDS | {"fmt", "json"})
        self.assertEqual(set(re.findall(r"^option\('(\w+)'", text("meson_options.txt"), re.MULTILINE)), BACKENDS | {"fmt"})
        # {fmt} is a boolean that is on, as in CMake; a store is a feature, as AUTO in CMake
        self.assertEqual(re.findall(r"^option\('(\w+)', type: 'boolean', value: true,", text("meson_options.txt"), re.MULTILINE),
                         ["fmt"])
        self.assertEqual(set(re.findall(r"^option\('(\w+)', type: 'feature'", text("meson_options.txt"), re.MULTILINE)), BACKENDS)
        self.assertRegex(cmake, r"option\(SESSIONKIT_WITH_FMT \".*\" ON\)")
        self.assertEqual(set(re.findall(r"(\w+) SESSIONKIT_WITH_\w+", text("packaging/vcpkg/sessionkit/portfile.cmake"))),
                         BACKENDS | {"fmt"})
        for name in BACKENDS:
            self.assertTrue((ROOT / f"include/sessionkit/{name}/src.hpp").exists(), name)
            self.assertIn(f"sessionkit::{name}", text("docs/stores.md"))

    def test_the_sources_of_the_library(self):
        rooms = re.search(r"set\(sessionkit_rooms ([^)]*)\)", text("cmake/SessionkitTargets.cmake")).group(1).split()
        listed = re.search(r"^rooms = \[(.*?)\]", text("meson.build"), re.MULTILINE | re.DOTALL).group(1)
        self.assertEqual(re.findall(r"'(\w+)'", listed), rooms)
        self.assertEqual({path.stem for path in (ROOT / "src").glob("*.cpp")}, {*rooms, *BACKENDS, "testing"})

    def test_the_oldest_versions_of_dependencies(self):
        cmake = text("cmake/SessionkitTargets.cmake")
        oldest = dict(re.findall(r'PC "([\w.-]+) >= ([\d.]+)"', cmake), fmt=re.search(r"find_package\(fmt (\d+)", cmake).group(1))
        meson = dict(re.findall(r"dependency\('([\w.-]+)', version: '>=([\d.]+)'", text("meson.build")))
        self.assertEqual(meson, oldest)

    def test_the_address(self):
        places = ("packaging/vcpkg/sessionkit/vcpkg.json", "packaging/vcpkg/sessionkit/portfile.cmake", RECIPE,
                  "packaging/conan/all/conandata.yml", "packaging/meson/sessionkit.wrap", "tests/package/hello_fetched/CMakeLists.txt")
        for path in places: # one name, which scripts/release replaces
            self.assertEqual(set(re.findall(r"(?:github\.com/|REPO )([\w-]+/[\w-]+)", text(path))) - {"conan-io/conan-center-index"},
                             {load_release().OWNER}, path)

    def test_the_table_of_cmake_options(self):
        own = re.findall(r"^(?:option|set)\((SESSIONKIT_[A-Z_]+) ", text("CMakeLists.txt"), re.MULTILINE)
        listed = re.findall(r"^\| `(SESSIONKIT_[A-Z_]+)` \|", text("README.md"), re.MULTILINE)
        self.assertEqual(sorted(listed), sorted(own))

    def test_the_description(self):
        cmake = re.search(r'DESCRIPTION "(.+?)"', text("CMakeLists.txt")).group(1)
        self.assertEqual(json.loads(text("packaging/vcpkg/sessionkit/vcpkg.json"))["description"], cmake)
        self.assertIn(f'description = "{cmake}"', text(RECIPE))
        self.assertIn(f"description: '{cmake}'", text("meson.build"))


if __name__ == "__main__":
    unittest.main()
