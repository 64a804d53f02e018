# SPDX-License-Identifier: MIT
"""The form of MODULE.bazel and BUILD.bazel, and their files against the tree. They are not built here: a Bazel with modules
is not in Debian, and it fetches each dependency from its registry. Starlark's files of this kind are also valid Python."""
import ast
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ATTRIBUTES = {"name", "srcs", "hdrs", "copts", "includes", "linkopts", "deps", "testonly", "target_compatible_with"}


def rooms():
    """The rooms of which the library consists, as CMake lists them."""
    text = (ROOT / "cmake/SessionkitTargets.cmake").read_text()
    return re.search(r"set\(sessionkit_rooms ([^)]*)\)", text).group(1).split()


class Bazel(unittest.TestCase):
    def calls(self, path):
        """(function, positional values, named values) of each statement; a name or a comprehension stays a tree."""
        constants = {}

        def value(node):
            if isinstance(node, ast.Call) and node.func.id == "glob":
                return self.glob(node, constants)
            if isinstance(node, ast.Name):
                return constants[node.id]
            return ast.literal_eval(node)

        for statement in ast.parse((ROOT / path).read_text()).body:
            if isinstance(statement, ast.Assign):
                constants[statement.targets[0].id] = ast.literal_eval(statement.value)
            elif isinstance(statement.value, ast.Call):
                call = statement.value
                yield call.func.id, [value(each) for each in call.args], {each.arg: value(each.value) for each in call.keywords}
            else: # the text that describes the file
                self.assertIsInstance(ast.literal_eval(statement.value), str)

    def glob(self, node, constants):
        found = {path for pattern in ast.literal_eval(node.args[0]) for path in ROOT.glob(pattern)}
        for keyword in node.keywords:
            self.assertEqual(keyword.arg, "exclude")
            pattern = ast.literal_eval(keyword.value.elt.left)
            for part in constants[keyword.value.generators[0].iter.id]:
                self.assertTrue((ROOT / (pattern % part).replace("/**", "")).is_dir(), part)
                found -= set(ROOT.glob((pattern % part) + "/*"))
        return sorted(str(path.relative_to(ROOT)) for path in found)

    def setUp(self):
        self.module = list(self.calls("MODULE.bazel"))
        self.build = list(self.calls("BUILD.bazel"))
        self.libraries = {named["name"]: named for function, _, named in self.build if function == "cc_library"}

    def test_the_module_begins_with_its_name_and_asks_for_exact_versions(self):
        self.assertEqual(self.module[0][0], "module")
        self.assertEqual(self.module[0][2].keys(), {"name", "version", "compatibility_level"})
        for function, _, named in self.module[1:]:
            self.assertEqual(function, "bazel_dep")
            self.assertRegex(named["version"], r"^\d+\.\d+\.\d+$")

    def test_every_rule_is_loaded_and_every_attribute_known(self):
        functions = [function for function, _, _ in self.build]
        self.assertEqual(functions[:3], ["load", "package", "licenses"])
        self.assertEqual(self.build[0][1], ["@rules_cc//cc:defs.bzl", "cc_library"])
        for name, library in self.libraries.items():
            self.assertLessEqual(library.keys(), ATTRIBUTES, name)

    def test_every_dependency_is_a_target_or_a_module(self):
        modules = {named["name"] for function, _, named in self.module if function == "bazel_dep"}
        for name, library in self.libraries.items():
            for need in library.get("deps", []):
                if need.startswith(":"):
                    self.assertIn(need[1:], self.libraries, name)
                else:
                    self.assertIn(re.match(r"^@(\w+)", need).group(1), modules, name)

    def test_the_library_has_every_source_of_a_room(self):
        self.assertEqual(self.libraries["sessionkit"]["srcs"], sorted(f"src/{room}.cpp" for room in rooms()))

    def test_every_header_is_in_one_library(self):
        listed = [header for library in self.libraries.values() for header in library.get("hdrs", [])]
        self.assertEqual(len(listed), len(set(listed)))
        left_out = {f"include/sessionkit/{store}" for store in ("redis", "postgres", "mongo")} # stores without a module
        tree = {str(path.relative_to(ROOT)) for path in (ROOT / "include").rglob("*.hpp")}
        self.assertEqual({header for header in tree - set(listed)},
                         {header for header in tree if any(header.startswith(folder + "/") for folder in left_out)})

    def test_every_other_source_exists(self):
        for name in ("sqlite", "testing"):
            self.assertEqual(self.libraries[name]["srcs"], [f"src/{name}.cpp"])
            self.assertTrue((ROOT / f"src/{name}.cpp").is_file())


if __name__ == "__main__":
    unittest.main()
