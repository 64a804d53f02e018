# SPDX-License-Identifier: MIT
"""What CMake prints where sessionkit cannot be built: the name of the system or of what is missing, and the line that helps."""
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OFF = [f"-DSESSIONKIT_BUILD_{what}=OFF" for what in ("TESTS", "EXAMPLES")]
OFF += [f"-DSESSIONKIT_WITH_{store}=OFF" for store in ("SQLITE", "REDIS", "POSTGRES", "MONGO")]


class CMakeErrors(unittest.TestCase):
    def configure(self, *options):
        with tempfile.TemporaryDirectory() as build:
            done = subprocess.run([os.environ["CMAKE"], "-S", ROOT, "-B", build, "-G", os.environ["GENERATOR"],
                                   f"-DCMAKE_CXX_COMPILER={os.environ['CXX']}",
                                   f"-DCMAKE_MAKE_PROGRAM={os.environ['MAKE_PROGRAM']}", *OFF, *options],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, " ".join(done.stdout.split())

    def refused(self, *options):
        status, said = self.configure(*options)
        self.assertNotEqual(status, 0)
        return said

    def test_a_system_that_is_not_supported_is_named(self):
        for system in ("Darwin", "FreeBSD"):
            self.assertIn("but never ran there", self.configure(f"-DCMAKE_SYSTEM_NAME={system}")[1])
        said = self.refused("-DCMAKE_SYSTEM_NAME=NetBSD")
        self.assertIn("sessionkit supports Linux, Windows, macOS and FreeBSD, not NetBSD.", said)
        self.assertIn("docker run", said)
        other_compiler = [f"-DCMAKE_CXX_COMPILER_{what}" for what in ("FORCED=ON", "ID_RUN=1", "ID=PGI")]
        said = self.refused("-DCMAKE_SYSTEM_NAME=Windows", *other_compiler)
        self.assertIn("On Windows, sessionkit supports MinGW-w64 only.", said)
        self.assertIn("wsl --install -d Debian", said)

    def test_without_fmt_the_line_that_helps_is_printed(self):
        said = self.refused("-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON")
        self.assertIn("sessionkit needs {fmt} 9 or newer, which was not found.", said)
        self.assertIn("apt-get install libfmt-dev", said)

    def test_an_fmt_that_is_too_old_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "fmt-config.cmake").write_text("add_library(fmt::fmt INTERFACE IMPORTED)\n")
            (pathlib.Path(folder) / "fmt-config-version.cmake").write_text("set(PACKAGE_VERSION 8.1.1)\n")
            self.assertIn("was not found, but 8.1.1", self.refused(
                f"-Dfmt_DIR={folder}", *(f"-DCMAKE_FIND_USE_{where}_PATH=OFF" for where in ("CMAKE_SYSTEM", "SYSTEM_ENVIRONMENT"))))

    def test_a_store_without_its_library_is_named(self):
        for store, package, debian in (("SQLITE", "SQLite3", "libsqlite3-dev"), ("REDIS", "Hiredis", "libhiredis-dev"),
                                       ("POSTGRES", "PostgreSQL", "libpq-dev"), ("MONGO", "Mongoc", "libmongoc-dev")):
            said = self.refused(f"-DSESSIONKIT_WITH_{store}=ON", f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON")
            self.assertIn(f"SESSIONKIT_WITH_{store}=ON: ", said)
            self.assertIn(f"apt-get install {debian}", said)
            self.assertIn(f"-DSESSIONKIT_WITH_{store}=OFF", said)

    def test_where_nothing_is_missing_nothing_is_refused(self):
        status, said = self.configure()
        self.assertEqual(status, 0, said)


if __name__ == "__main__":
    unittest.main()
