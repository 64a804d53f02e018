# SPDX-License-Identifier: MIT
"""The rules of conan-center, each with its id, on the recipe for registries and on the packages that Conan made here.

The rules are those of the hook that conan-center runs with Conan 2: https://github.com/conan-io/hooks, file
hooks/hook_conan_center.py. KB-H003 (recipes without settings), KB-H008 (libraries in C) and KB-H033 (Apple) have no object
here. CONAN_WORK is the work directory of packaging/conan/create after the forms center, shared, header_only and without_fmt."""
import ast
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import unittest

WORK = pathlib.Path(os.environ["CONAN_WORK"])
RECIPE = WORK / "dist/conan-center/recipes/sessionkit/all"
FORMS = ("center", "shared", "header_only", "without_fmt")
SYSTEM_LIBRARIES = {"anl", "crypt", "dl", "m", "pthread", "resolv", "rt", "util"}
SUFFIXES = {".cmake", ".cpp", ".hpp", ".json", ".py", ".txt", ".yml"}


def node(form):
    graph = json.loads((WORK / f"{form}.json").read_text())["graph"]["nodes"]
    return next(each for each in graph.values() if each["name"] == "sessionkit" and each["package_folder"])


def files(folder):
    return [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]


def assigned(tree):
    """The attributes that the recipe's class assigns, by name."""
    recipe = next(each for each in tree.body if isinstance(each, ast.ClassDef))
    return {statement.targets[0].id: statement.value for statement in recipe.body if isinstance(statement, ast.Assign)}


class ConanCenter(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = (RECIPE / "conanfile.py").read_text()
        cls.tree = ast.parse(cls.text)
        cls.attributes = assigned(cls.tree)
        cls.methods = {each.name for each in ast.walk(cls.tree) if isinstance(each, ast.FunctionDef)}
        cls.nodes = {form: node(form) for form in FORMS}
        cls.packages = {form: pathlib.Path(each["package_folder"]) for form, each in cls.nodes.items()}

    def value(self, name):
        return ast.literal_eval(self.attributes[name])

    def each_name(self, patterns):
        """Names of packaged files that match."""
        return [str(path) for folder in self.packages.values() for path in files(folder)
                if any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns)]

    def test_kb_h001_recipe_metadata(self):
        for name in ("url", "license", "description", "homepage", "topics"):
            self.assertTrue(self.value(name), name)
        self.assertNotIn("author", self.attributes)
        self.assertEqual(self.value("url"), "https://github.com/conan-io/conan-center-index")
        for topic in self.value("topics"):
            self.assertEqual(topic, topic.lower())
            self.assertNotIn(topic, ("conan", self.value("name")))

    def test_kb_h002_recipe_reference(self):
        self.assertEqual(self.value("name"), "sessionkit")
        self.assertFalse(self.attributes.keys() & {"version", "user", "channel"})

    def test_kb_h004_fpic_option(self):
        self.assertEqual(self.value("options")["fPIC"], [True, False])
        self.assertIn("fPIC", self.nodes["center"]["options"])

    def test_kb_h005_fpic_management(self):
        for form in ("shared", "header_only"):
            self.assertNotIn("fPIC", self.nodes[form]["options"], form)
        self.assertNotIn("fPIC", self.of_system("Windows")["options"])

    def test_kb_h006_recipe_folder_size(self):
        self.assertLess(sum(path.stat().st_size for path in files(RECIPE)), 256 * 1024)

    def test_kb_h007_immutable_sources(self):
        self.assertIn("source", self.methods)
        self.assertIn('get(self, **self.conan_data["sources"][self.version]', self.text)
        self.assertNotRegex(self.text, r"git (clone|checkout)")

    def test_kb_h009_package_license(self):
        for form, folder in self.packages.items():
            licenses = files(folder / "licenses")
            self.assertEqual([path.name for path in licenses], ["LICENSE"], form)
            self.assertGreater(licenses[0].stat().st_size, 0, form)

    def test_kb_h010_default_package_layout(self):
        for form, folder in self.packages.items():
            names = {path.name for path in folder.iterdir()} - {"conaninfo.txt", "conanmanifest.txt"}
            self.assertLessEqual(names, {"lib", "bin", "include", "res", "licenses", "metadata"}, form)
            self.assertIn("include", names, form)

    def test_kb_h011_matching_configuration(self):
        kinds = {form: {path.suffixes[0] for path in files(folder) if path.name.startswith("lib")}
                 for form, folder in self.packages.items()}
        self.assertEqual(kinds, {"center": {".a"}, "shared": {".so"}, "header_only": set(), "without_fmt": set()})
        types = {form: each["package_type"] for form, each in self.nodes.items()}
        self.assertEqual(types, {"center": "static-library", "shared": "shared-library", "header_only": "header-library",
                                 "without_fmt": "header-library"})

    def test_kb_h012_not_allowed_config_files(self):
        self.assertEqual(self.each_name(["Find*.cmake", "*Config.cmake", "*-config.cmake", "*.pc"]), [])

    def test_kb_h013_metadata_files(self):
        self.assertEqual(self.each_name(["*.pdb", "*.la", "msvcr*.dll", "msvcp*.dll", "vcruntime*.dll", "concrt*.dll"]), [])

    def test_kb_h014_export_license(self):
        for name in ("exports", "exports_sources"):
            if name in self.attributes:
                self.assertNotRegex(str(self.value(name)).lower(), "copying|license|copyright")

    def test_kb_h015_test_package_folder(self):
        self.assertTrue((RECIPE / "test_package/conanfile.py").is_file())

    def test_kb_h016_meta_lines(self):
        for path in RECIPE.rglob("conanfile.py"):
            self.assertNotRegex(path.read_text(), r"#!|# -\*- coding|# coding=|# vim:|#\s*pylint", path)

    def test_kb_h017_conandata_format(self):
        lines = [line for line in (RECIPE / "conandata.yml").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(lines[0], "sources:")
        self.assertRegex(lines[1], r'^  "\d+\.\d+\.\d+":$')
        self.assertRegex(lines[2], r'^    url: "https://\S+\.tar\.gz"$')
        self.assertRegex(lines[3], r'^    sha256: "(?!0{64})[0-9a-f]{64}"$')
        self.assertEqual(len(lines), 4)

    def test_kb_h018_system_requirements(self):
        self.assertNotIn("system_requirements", self.methods)
        self.assertNotIn("package_manager", self.text)

    def test_kb_h019_not_allowed_attributes(self):
        self.assertFalse(self.attributes.keys() & {"build_policy", "upload_policy", "revision_mode", "package_id_embed_mode",
                                                   "package_id_non_embed_mode", "package_id_unknown_mode"})

    def test_kb_h020_missing_system_libs(self):
        named = {library for each in self.nodes["shared"]["cpp_info"].values() for library in each["system_libs"] or []}
        libraries = list(self.packages["shared"].glob("lib/*.so"))
        self.assertGreater(len(libraries), 1)
        for library in libraries:
            dynamic = subprocess.run(["readelf", "-d", library], check=True, stdout=subprocess.PIPE, text=True).stdout
            needed = set(re.findall(r"NEEDED.*\[lib(.+?)\.so", dynamic))
            self.assertLessEqual(needed & SYSTEM_LIBRARIES, named, library.name)

    def test_kb_h021_cmakefile_lint(self):
        found = [path for path in files(RECIPE) if path.name.lower().startswith("cmake")]
        self.assertTrue(found)
        for path in found:
            minimum = re.search(r"cmake_minimum_required\(VERSION (\d+)\.(\d+)", path.read_text())
            self.assertGreaterEqual((int(minimum.group(1)), int(minimum.group(2))), (3, 15), path)
            self.assertNotIn("CMAKE_VERBOSE_MAKEFILE", path.read_text())

    def test_kb_h022_default_shared_option_and_config(self):
        self.assertIs(self.value("default_options")["shared"], False)
        versions = re.compile(r'^  "(.+)":$', re.MULTILINE)
        self.assertEqual(versions.findall((RECIPE / "conandata.yml").read_text()),
                         versions.findall((RECIPE.parent / "config.yml").read_text()))

    def test_kb_h024_library_exists(self):
        for form, each in self.nodes.items():
            for name, component in each["cpp_info"].items():
                for library in component["libs"] or []:
                    found = [path for folder in component["libdirs"] for path in pathlib.Path(folder).glob(f"lib{library}.*")]
                    self.assertTrue(found, (form, name, library))

    def test_kb_h025_single_requires(self):
        self.assertIn("requirements", self.methods)
        self.assertFalse(self.attributes.keys() & {"requires", "build_requires", "tool_requires"})

    def test_kb_h026_tools_rename(self):
        self.assertNotRegex(self.text, r"os\.rename|tools\.rename\(")

    def test_kb_h027_file_consistency(self):
        for path in files(RECIPE) + [RECIPE.parent / "config.yml"]:
            self.assertRegex(path.name, r'^[^<>:"/\\|+?*%,; ]*[^.<>:"/\\|+?*%,; ]$')
            if path.suffix in SUFFIXES:
                self.assertNotIn(b"\r\n", path.read_bytes(), path)
                self.assertTrue(path.read_bytes().endswith(b"\n"), path)

    def test_kb_h028_short_paths(self):
        for folder, longest in ((self.nodes["center"]["source_folder"], 256 - 120), *((p, 256 - 160) for p in self.packages.values())):
            for path in files(folder):
                self.assertLess(len("./" + str(path.relative_to(folder))), longest, path)

    def test_kb_h029_test_package_attributes(self):
        test_package = assigned(ast.parse((RECIPE / "test_package/conanfile.py").read_text()))
        self.assertFalse(test_package.keys() & {"default_options", "version", "name", "license", "author", "exports", "build_policy"})

    def test_kb_h030_mandatory_settings(self):
        self.assertLessEqual({"os", "arch", "compiler", "build_type"}, set(self.value("settings")))

    def test_kb_h031_include_path_exists(self):
        for form, each in self.nodes.items():
            for name, component in each["cpp_info"].items():
                for folder in component["includedirs"] or []:
                    self.assertTrue(pathlib.Path(folder).is_dir(), (form, name))

    def test_kb_h032_requirement_override(self):
        self.assertNotIn("override", self.text)

    # Not in the hook: what conan-center's documents ask beyond it.

    def test_versions_of_requirements_are_exact(self):
        versions = [self.value("_fmt"), self.value("_json"), *self.value("_stores").values()]
        for version in versions:
            self.assertRegex(version, r"^[a-z0-9_-]+/[0-9.]+$")

    def test_what_needs_another_library_is_off_unless_asked_for(self):
        for name, value in self.value("default_options").items():
            if name.startswith("with_"):
                self.assertIs(value, False, name)

    def test_components_name_what_they_need(self):
        components = self.nodes["center"]["cpp_info"]
        self.assertEqual({name: each["requires"] for name, each in components.items() if name != "root"}, {
            "core": ["fmt::fmt"], "header_only": ["fmt::fmt"], "json": ["nlohmann_json::nlohmann_json"], "testing": ["core"],
            "sqlite": ["core", "sqlite3::sqlite3"], "redis": ["core", "hiredis::hiredis"],
            "postgres": ["core", "libpq::libpq"], "mongo": ["core", "mongo-c-driver::mongo-c-driver"]})

    def test_fmt_is_a_dependency_only_where_it_is_asked_for(self):
        defines = {form: each["cpp_info"]["header_only"]["defines"] or [] for form, each in self.nodes.items()}
        needs = {form: any(each["ref"].startswith("fmt/") for each in self.nodes[form]["dependencies"].values()) for form in FORMS}
        self.assertEqual(defines, {"center": [], "shared": [], "header_only": [], "without_fmt": ["SESSIONKIT_WITHOUT_FMT"]})
        self.assertEqual(needs, {"center": True, "shared": True, "header_only": True, "without_fmt": False})

    def test_other_systems_are_refused_by_name(self):
        self.assertIn("supports Linux, macOS, FreeBSD and Windows, not SunOS", self.of_system("SunOS")["info_invalid"])
        for system in ("Windows", "Macos", "FreeBSD"):
            self.assertIsNone(self.of_system(system)["info_invalid"], system)

    def test_windows_has_no_stores_of_servers(self):
        refused = self.of_system("Windows", "-o", "&:with_redis=True")["info_invalid"]
        self.assertIn("with_redis is not available on Windows", refused)

    def of_system(self, system, *more):
        """The package as `conan graph info` describes it for another system."""
        conan = WORK / "venv/bin/conan"
        done = subprocess.run(
            [conan if conan.exists() else "conan", "graph", "info", RECIPE, "--version", self.nodes["center"]["version"],
             "--profile:all", WORK / "system.profile", "-s", f"os={system}", *more, "--no-remote", "--format=json"],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "CONAN_HOME": str(WORK / "home")})
        return next(each for each in json.loads(done.stdout)["graph"]["nodes"].values() if each["name"] == "sessionkit")


if __name__ == "__main__":
    unittest.main()
