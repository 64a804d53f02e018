# SPDX-License-Identifier: MIT
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir

required_conan_version = ">=2.4"


class SessionkitConan(ConanFile):
    name = "sessionkit"
    description = "Sessions of agent hosts: log, history, provider request"
    license = "MIT"
    url = "https://github.com/conan-io/conan-center-index"
    homepage = "https://github.com/OWNER/sessionkit"
    topics = ("llm", "agent", "session", "transcript", "jsonl")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "header_only": [True, False],
        "with_fmt": [True, False],
        "with_json": [True, False],
        "with_sqlite": [True, False],
        "with_redis": [True, False],
        "with_postgres": [True, False],
        "with_mongo": [True, False],
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "header_only": False,
        "with_fmt": False,
        "with_json": False,
        "with_sqlite": False,
        "with_redis": False,
        "with_postgres": False,
        "with_mongo": False,
    }

    # What each part needs. A database store is an option and a component of the same name.
    _fmt = "fmt/10.2.1"
    _json = "nlohmann_json/3.11.3"
    _stores = {
        "sqlite": "sqlite3/3.46.1",
        "redis": "hiredis/1.2.0",
        "postgres": "libpq/15.4",
        "mongo": "mongo-c-driver/1.27.2",
    }

    @property
    def _chosen_stores(self):
        return [name for name in self._stores if self.options.get_safe(f"with_{name}")]

    def config_options(self):
        if self.settings.os == "Windows":
            self.options.rm_safe("fPIC")

    def configure(self):
        if self.options.header_only:
            self.options.rm_safe("shared")
        if self.options.header_only or self.options.shared:
            self.options.rm_safe("fPIC")

    def layout(self):
        cmake_layout(self, src_folder="src")

    def requirements(self):
        inside = {"transitive_headers": bool(self.options.header_only), "transitive_libs": True}
        if self.options.with_fmt:
            self.requires(self._fmt, **inside)
        for name in self._chosen_stores:
            self.requires(self._stores[name], **inside)
        if self.options.with_json:
            self.requires(self._json, transitive_headers=True)  # <sessionkit/json.hpp> includes it

    def package_id(self):
        if self.info.options.get_safe("header_only"):
            self.info.clear()

    def validate(self):
        if self.settings.os not in ("Linux", "Macos", "FreeBSD", "Windows"):
            raise ConanInvalidConfiguration(f"{self.name} supports Linux, macOS, FreeBSD and Windows, "
                                            f"not {self.settings.os}")
        if self.settings.os == "Windows" and self.settings.compiler != "gcc":
            raise ConanInvalidConfiguration(f"{self.name} supports g++ of MinGW-w64 only on Windows")
        servers = [name for name in self._chosen_stores if name != "sqlite"]
        if self.settings.os == "Windows" and servers:
            raise ConanInvalidConfiguration(f"{self.name}: with_{servers[0]} is not available on Windows")
        check_min_cppstd(self, 17)

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)
        rmdir(self, os.path.join(self.source_folder, "tests"))  # long paths, and not needed for a package

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for name in ("TESTS", "EXAMPLES"):
            toolchain.cache_variables[f"SESSIONKIT_BUILD_{name}"] = False
        toolchain.cache_variables["SESSIONKIT_INSTALL"] = True
        toolchain.cache_variables["SESSIONKIT_HEADER_ONLY"] = bool(self.options.header_only)
        toolchain.cache_variables["SESSIONKIT_WITH_FMT"] = bool(self.options.with_fmt)
        for name in self._stores:
            wanted = "ON" if name in self._chosen_stores else "OFF"
            toolchain.cache_variables[f"SESSIONKIT_WITH_{name.upper()}"] = wanted
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        for folder in (("lib", "cmake"), ("lib", "pkgconfig"), ("share",)):
            rmdir(self, os.path.join(self.package_folder, *folder))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "sessionkit")
        self.cpp_info.set_property("cmake_target_name", "sessionkit::all")
        self.cpp_info.set_property("pkg_config_name", "sessionkit-all")
        platform = ["ntdll"] if self.settings.os == "Windows" else ["m"]
        formatter = ["fmt::fmt"] if self.options.with_fmt else []
        self._component("header_only", None, formatter, pc="sessionkit-header-only", system=platform)
        if not self.options.with_fmt:
            self.cpp_info.components["header_only"].defines = ["SESSIONKIT_WITHOUT_FMT"]
        core = "header_only"
        if not self.options.header_only:
            core = "core"
            self._component(core, "sessionkit", formatter, target="sessionkit", pc="sessionkit", system=platform)
        self._component("testing", "sessionkit_testing", [core], system=["pthread"])
        for name in self._chosen_stores:
            package = self._stores[name].split("/")[0]
            self._component(name, f"sessionkit_{name}", [core, f"{package}::{package}"], system=["pthread"])
        if self.options.with_json:
            self._component("json", None, ["nlohmann_json::nlohmann_json"])

    def _component(self, name, library, requires, target=None, pc=None, system=()):
        component = self.cpp_info.components[name]
        component.set_property("cmake_target_name", f"sessionkit::{target or name}")
        component.set_property("pkg_config_name", pc or f"sessionkit-{name}")
        component.requires = requires
        component.bindirs = []
        if library is None or self.options.header_only:
            component.libdirs = []
        else:
            component.libs = [library]
        component.system_libs = list(system)
