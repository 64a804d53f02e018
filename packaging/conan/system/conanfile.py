# SPDX-License-Identifier: MIT
"""A library of this system as a Conan package, with the names that conan-center's recipe of it gives to CMake. The build of
sessionkit's package then needs no network. packaging/conan/create exports it once for each dependency."""
from conan import ConanFile
from conan.tools.gnu import PkgConfig

# package: (pkg-config module, CMake file, CMake target)
NAMES = {
    "fmt": ("fmt", "fmt", "fmt::fmt"),
    "nlohmann_json": ("nlohmann_json", "nlohmann_json", "nlohmann_json::nlohmann_json"),
    "sqlite3": ("sqlite3", "SQLite3", "SQLite::SQLite3"),
    "hiredis": ("hiredis", "hiredis", "hiredis::hiredis"),
    "libpq": ("libpq", "PostgreSQL", "PostgreSQL::PostgreSQL"),
    "mongo-c-driver": ("libmongoc-1.0", "mongoc-1.0", "mongo::mongoc_shared"),
}


class System(ConanFile):
    package_type = "shared-library"

    def package_info(self):
        module, cmake_file, cmake_target = NAMES[self.name]
        PkgConfig(self, module).fill_cpp_info(self.cpp_info, is_system=True)
        self.cpp_info.bindirs = []
        self.cpp_info.set_property("cmake_file_name", cmake_file)
        self.cpp_info.set_property("cmake_target_name", cmake_target)
