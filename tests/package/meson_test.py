# SPDX-License-Identifier: MIT
"""A host's project takes the library with Meson: as the wrap that scripts/release writes, whose archive is compiled once, and
then as it was installed from there. WORK is kept between the steps and between runs."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONSUMER = ROOT / "tests/package/consumer"
WORK = pathlib.Path(os.environ["WORK"])
MESON = os.environ["MESON"]
VERSION = re.search(r'SESSIONKIT_VERSION "(.+)"', (ROOT / "include/sessionkit/version.hpp").read_text()).group(1)
STORES = ("sqlite", "redis", "postgres", "mongo")
SAID = f"sessionkit {VERSION}: not_found\n"


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def make_host(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("meson.build", "main.cpp", "lookup.cpp", "lookup.hpp", "sqlite.cpp"):
        shutil.copy(CONSUMER / name, folder)
    return folder


class Meson(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The host with the wrap: Meson checks the archive against the wrap's checksum, and fetches nothing."""
        shutil.rmtree(WORK, ignore_errors=True)
        run(ROOT / "scripts/release", VERSION, "--dry-run", "--output", WORK / "dist")
        host = make_host(WORK / "host")
        (host / "subprojects/packagecache").mkdir(parents=True)
        shutil.copy(WORK / "dist/meson/sessionkit.wrap", host / "subprojects")
        shutil.copy(WORK / f"dist/sessionkit-{VERSION}.tar.gz", host / "subprojects/packagecache")
        unused = [f"-Dsessionkit:{store}=disabled" for store in ("redis", "postgres", "mongo")]
        run(MESON, "setup", WORK / "build", host, "--buildtype=plain", "--default-library=static", f"--prefix={WORK / 'prefix'}",
            "--libdir=lib", *unused)
        run(MESON, "compile", "-C", WORK / "build", "-j", "2")

    def test_a_host_with_the_wrap_runs(self):
        for app in ("app", "app_sqlite"):
            self.assertEqual(run(WORK / "build" / app), SAID)

    def test_the_formatter_can_be_chosen(self):
        """Only one room is compiled again, and without {fmt} no symbol of it is wanted."""
        build = WORK / "build"
        for fmt, formats in (("false", False), ("true", True)): # last as setUpClass had it
            run(MESON, "configure", build, f"-Dsessionkit:fmt={fmt}")
            built = run(MESON, "compile", "-C", build, "-j", "2")
            self.assertEqual(re.findall(r"src_(\w+)\.cpp\.o", built), ["base"], built)
            self.assertEqual(run(build / "app"), SAID)
            symbols = run("nm", "-C", "--undefined-only", build / "subprojects" / f"sessionkit-{VERSION}" / "libsessionkit.a")
            self.assertEqual(" fmt::" in symbols, formats)
            self.assertEqual("libfmt" in run("readelf", "-d", build / "app"), formats)

    def test_a_host_with_the_installed_library_runs(self):
        run(MESON, "install", "-C", WORK / "build", "--no-rebuild")
        headers = {path.relative_to(ROOT / "include") for path in (ROOT / "include").rglob("*.hpp")}
        installed = WORK / "prefix/include"
        self.assertEqual({path.relative_to(installed) for path in installed.rglob("*.hpp")}, headers)
        environment = {**os.environ, "PKG_CONFIG_PATH": str(WORK / "prefix/lib/pkgconfig")}
        host = make_host(WORK / "second_host")
        run(MESON, "setup", WORK / "second_build", host, "--buildtype=plain", env=environment)
        run(MESON, "compile", "-C", WORK / "second_build", "-j", "2")
        for app in ("app", "app_sqlite"):
            self.assertEqual(run(WORK / "second_build" / app), SAID)

    def test_a_changed_archive_is_refused(self):
        host = make_host(WORK / "third_host")
        shutil.copytree(WORK / "host/subprojects/packagecache", host / "subprojects/packagecache")
        shutil.copy(WORK / "dist/meson/sessionkit.wrap", host / "subprojects")
        with open(host / f"subprojects/packagecache/sessionkit-{VERSION}.tar.gz", "ab") as archive:
            archive.write(b"x")
        with self.assertRaisesRegex(AssertionError, "Incorrect hash"):
            run(MESON, "setup", WORK / "third_build", host)

    def test_without_fmt_none_is_looked_for(self):
        for fmt in ("true", "false"):
            build = WORK / f"fmt_{fmt}"
            run(MESON, "setup", build, ROOT, f"-Dfmt={fmt}", *(f"-D{store}=disabled" for store in STORES))
            found = {dependency["name"] for dependency in json.loads(run(MESON, "introspect", "--dependencies", build))}
            self.assertEqual("fmt" in found, fmt == "true", found)

    def test_every_store_and_the_shared_library_can_be_chosen(self):
        run(MESON, "setup", WORK / "all", ROOT, "--default-library=shared", *(f"-D{store}=enabled" for store in STORES))
        targets = json.loads(run(MESON, "introspect", "--targets", WORK / "all"))
        self.assertEqual({target["name"]: target["type"] for target in targets},
                         {"sessionkit_base": "static library", # its object is a part of the library
                          **{name: "shared library" for name in ("sessionkit", "sessionkit_testing",
                                                                 *(f"sessionkit_{store}" for store in STORES))}})


if __name__ == "__main__":
    unittest.main()
