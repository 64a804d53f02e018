# SPDX-License-Identifier: MIT
"""The port has the form of vcpkg's registry. vcpkg itself cannot be had from Debian's or PyPI's packages, so these are the
written rules: the maintainer guide and the reference of vcpkg.json, https://learn.microsoft.com/vcpkg/contributing/maintainer-guide
and /vcpkg/reference/vcpkg-json. package.vcpkg runs the lines of the port."""
import json
import pathlib
import re
import unittest

PORT = pathlib.Path(__file__).resolve().parents[2] / "packaging/vcpkg/sessionkit"
# In the order of `vcpkg format-manifest`.
FIELDS = ["name", "version", "description", "homepage", "license", "supports", "dependencies", "features"]
DEPRECATED = ["vcpkg_extract_source_archive_ex", "vcpkg_apply_patches", "vcpkg_build_msbuild", "vcpkg_copy_tool_dependencies",
              "vcpkg_configure_cmake", "vcpkg_build_cmake", "vcpkg_install_cmake", "vcpkg_fixup_cmake_targets"]


class Form(unittest.TestCase):
    def setUp(self):
        self.text = (PORT / "vcpkg.json").read_text()
        self.manifest = json.loads(self.text)
        self.portfile = (PORT / "portfile.cmake").read_text()

    def call(self, function):
        """The arguments of the one call of a function."""
        found = re.findall(rf"^{function}\(([^)]*)\)", self.portfile, re.MULTILINE)
        self.assertEqual(len(found), 1, function)
        return found[0].split()

    def test_the_port_has_the_files_that_a_port_has(self):
        self.assertEqual({path.name for path in PORT.iterdir()}, {"vcpkg.json", "portfile.cmake", "usage"})

    def test_the_manifest_is_formatted_and_complete(self):
        self.assertEqual(list(self.manifest), FIELDS)
        self.assertEqual(self.text, json.dumps(self.manifest, indent=2) + "\n")
        self.assertRegex(self.manifest["name"], r"^[a-z0-9]+(-[a-z0-9]+)*$")
        self.assertRegex(self.manifest["homepage"], r"^https://")
        self.assertEqual((self.manifest["license"], self.manifest["supports"]), ("MIT", "linux | osx | freebsd | mingw"))

    def test_names_are_sorted_and_tool_ports_are_of_the_host(self):
        names = [each if isinstance(each, str) else each["name"] for each in self.manifest["dependencies"]]
        self.assertEqual(names, sorted(names))
        self.assertEqual(list(self.manifest["features"]), sorted(self.manifest["features"]))
        tools = [each for each in self.manifest["dependencies"] if isinstance(each, dict)]
        self.assertEqual(tools, [{"name": name, "host": True} for name in ("vcpkg-cmake", "vcpkg-cmake-config")])

    def test_a_feature_adds_and_none_is_on_by_default(self):
        self.assertNotIn("default-features", self.manifest)
        for name, feature in self.manifest["features"].items():
            of_server = name in ("redis", "postgres", "mongo")  # they need the sockets of POSIX
            self.assertEqual(list(feature), ["description", *["supports"] * of_server, "dependencies"], name)
            self.assertEqual(feature.get("supports"), "!windows" if of_server else None, name)
        asked = self.call("vcpkg_check_features")
        pairs = dict(zip(asked[3::2], asked[4::2]))
        self.assertEqual(pairs, {name: f"SESSIONKIT_WITH_{name.upper()}" for name in self.manifest["features"] if name != "json"})

    def test_the_sources_are_a_release_with_its_checksum(self):
        arguments = self.call("vcpkg_from_github")
        given = dict(zip(arguments[::2], arguments[1::2]))
        self.assertEqual(given["OUT_SOURCE_PATH"], "SOURCE_PATH")
        self.assertEqual(given["REF"], '"v${VERSION}"')
        self.assertRegex(given["SHA512"], r"^[0-9a-f]{128}$")  # zeros until scripts/release writes it
        self.assertEqual("https://github.com/" + given["REPO"], self.manifest["homepage"])

    def test_only_the_library_is_built_and_installed_once(self):
        options = self.call("vcpkg_cmake_configure")
        for what in ("TESTS", "EXAMPLES"):
            self.assertIn(f"-DSESSIONKIT_BUILD_{what}=OFF", options)
        for function in ("vcpkg_cmake_install", "vcpkg_cmake_config_fixup", "vcpkg_fixup_pkgconfig"):
            self.call(function)
        removed = re.search(r"^file\(REMOVE_RECURSE([^)]*)\)", self.portfile, re.MULTILINE).group(1).split()
        for folder in ("debug/include", "debug/share", "share/licenses"):
            self.assertIn(f'"${{CURRENT_PACKAGES_DIR}}/{folder}"', removed)

    def test_the_licence_is_installed_as_the_guide_asks(self):
        self.assertEqual(self.call("vcpkg_install_copyright"), ["FILE_LIST", '"${SOURCE_PATH}/LICENSE"'])

    def test_nothing_deprecated_or_path_dependent_is_used(self):
        for function in DEPRECATED:
            self.assertNotIn(function, self.portfile)
        self.assertNotRegex(self.portfile, r"CURRENT_INSTALLED_DIR|\bEXISTS\b|\.\./")

    def test_the_only_comment_is_the_licence(self):
        self.assertEqual(re.findall(r"#.*", self.portfile), ["# SPDX-License-Identifier: MIT"])


if __name__ == "__main__":
    unittest.main()
