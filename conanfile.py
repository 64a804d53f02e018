# SPDX-License-Identifier: MIT
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import load

required_conan_version = ">=2.0"


class Sessionkit(ConanFile):
    name = "sessionkit"
    description = "Sessions of agent hosts: log, history, provider request"
    license = "MIT"
    topics = ("llm", "agent", "session", "transcript", "jsonl")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "header_only": [True, False],
        "with_sqlite": [True, False],
        "with_redis": [True, False],
        "with_postgres": [True, False],
        "with_mongo": [True, False],
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "header_only": False,
        "with_sqlite": True,
        "with_redis": False,
        "with_postgres": False,
        "with_mongo": False,
    }
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"
    test_package_folder = "packaging/conan/test_package"

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "include", "sessionkit", "version.hpp"))
        self.version = re.search(r'#define SESSIONKIT_VERSION "(.+)"', text).group(1)

    def configure(self):
        if self.options.header_only:
            self.options.rm_safe("shared")
            self.package_type = "header-library"
        if self.options.header_only or self.options.shared:
            self.options.rm_safe("fPIC")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        inside = {"transitive_headers": bool(self.options.header_only), "transitive_libs": True}
        self.requires("fmt/[>=9 <13]", **inside)
        self.requires("nlohmann_json/[>=3.10 <4]", transitive_headers=True)  # <sessionkit/json.hpp>
        if self.options.with_sqlite:
            self.requires("sqlite3/[>=3.35 <4]", **inside)
        if self.options.with_redis:
            self.requires("hiredis/[>=0.14 <2]", **inside)
        if self.options.with_postgres:
            self.requires("libpq/[>=13 <18]", **inside)
        if self.options.with_mongo:
            self.requires("mongo-c-driver/[>=1.17 <2]", **inside)

    def validate(self):
        check_min_cppstd(self, 17)

    def package_id(self):
        if self.info.options.header_only:
            self.info.settings.clear()

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        for name in ("TESTS", "EXAMPLES", "BENCH"):
            toolchain.cache_variables[f"SESSIONKIT_BUILD_{name}"] = False
        toolchain.cache_variables["SESSIONKIT_INSTALL"] = True
        toolchain.cache_variables["SESSIONKIT_HEADER_ONLY"] = bool(self.options.header_only)
        for backend in ("sqlite", "redis", "postgres", "mongo"):
            wanted = bool(self.options.get_safe(f"with_{backend}"))
            toolchain.cache_variables[f"SESSIONKIT_WITH_{backend.upper()}"] = "ON" if wanted else "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The package brings its own CMake files: the same targets and components as without Conan.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "sessionkit")]
        self.cpp_info.set_property("pkg_config_name", "none")
        self.cpp_info.bindirs = []
        if self.options.header_only:
            self.cpp_info.libdirs = []
        else:
            self.cpp_info.libs = ["sessionkit"]
