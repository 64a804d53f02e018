# SPDX-License-Identifier: MIT
"""The recipe of this tree, for `conan create .`. It is the recipe of packaging/conan/all, which registries take, except that
the sources are those of the tree, and that the versions of the dependencies are ranges."""
import importlib.util
import os
import re

from conan.tools.files import copy, load

_place = os.path.join("packaging", "conan", "all", "conanfile.py")
_spec = importlib.util.spec_from_file_location("sessionkit_recipe", os.path.join(os.path.dirname(__file__), _place))
_recipe = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_recipe)

required_conan_version = _recipe.required_conan_version


class Sessionkit(_recipe.SessionkitConan):
    url = _recipe.SessionkitConan.homepage
    exports = _place
    test_package_folder = "packaging/conan/all/test_package"

    _fmt = "fmt/[>=9 <13]"
    _json = "nlohmann_json/[>=3.10 <4]"
    _stores = {
        "sqlite": "sqlite3/[>=3.35 <4]",
        "redis": "hiredis/[>=0.14 <2]",
        "postgres": "libpq/[>=13 <18]",
        "mongo": "mongo-c-driver/[>=1.17 <2]",
    }

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "include", "sessionkit", "version.hpp"))
        self.version = re.search(r'#define SESSIONKIT_VERSION "(.+)"', text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, self.recipe_folder, os.path.join(self.export_sources_folder, "src"))

    def source(self):
        pass
