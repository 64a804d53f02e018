# SPDX-License-Identifier: MIT
"""scripts/release: versions that disagree, the changelog, an archive that is always the same, and the files for registries."""
import base64
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r'SESSIONKIT_VERSION "(.+)"', (ROOT / "include/sessionkit/version.hpp").read_text()).group(1)


def load_script():
    sys.dont_write_bytecode = True # the script lies in the tree
    loader = importlib.machinery.SourceFileLoader("release", str(ROOT / "scripts/release"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
    loader.exec_module(module)
    return module


release = load_script()


def git(folder, *arguments):
    subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test@localhost", *arguments], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)


class Clone(unittest.TestCase):
    """A small repository with the files that a release needs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree = self.make_tree("tree")

    def make_tree(self, name):
        tree = self.folder / name
        for path in {"scripts/release", "scripts/one-file", "LICENSE", "CHANGELOG.md", *(file for file, _ in release.VERSIONS)}:
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, tree / path)
        for folder in ("include", "packaging/conan/all", "packaging/vcpkg/sessionkit"):
            shutil.copytree(ROOT / folder, tree / folder, dirs_exist_ok=True)
        (tree / "link").symlink_to("CHANGELOG.md")
        (tree / ".gitignore").write_text("/build/\n")
        git(tree, "init", "-q")
        git(tree, "add", "-A")
        git(tree, "commit", "-qm", "all")
        return tree

    def run_release(self, *arguments, tree=None):
        done = subprocess.run([sys.executable, "-B", (tree or self.tree) / "scripts/release", *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def archive(self, tree):
        status, said = self.run_release(VERSION, "--dry-run", tree=tree)
        self.assertEqual(status, 0, said)
        return (tree / f"build/dist/sessionkit-{VERSION}.tar.gz").read_bytes()

    def date_changelog(self):
        (self.tree / "CHANGELOG.md").write_text(f"# Changelog\n\n## Unreleased\n\n## {VERSION} - 2026-11-24\n\n- x\n")
        git(self.tree, "commit", "-qam", "date")

    def test_each_file_with_another_version_is_named_with_its_line(self):
        for name, pattern in release.VERSIONS:
            text = (self.tree / name).read_text()
            found = re.search(pattern, text, re.MULTILINE)
            (self.tree / name).write_text(text[:found.start(1)] + "9.9.9" + text[found.end(1):])
            status, said = self.run_release(VERSION, "--dry-run")
            self.assertEqual(status, 1)
            line = text.count("\n", 0, found.start(1)) + 1
            self.assertIn(f"  {name}:{line}: 9.9.9", said)
            (self.tree / name).write_text(text)
        self.assertIn("these do not say 9.8.7", self.run_release("9.8.7", "--dry-run")[1])

    def test_the_changelog_gets_its_date_once(self):
        text = "# Changelog\n\n## Unreleased\n\n### Added\n\n- a fact\n\n## 0.0.1 - 2026-01-01\n\n- old\n"
        dated = release.dated_changelog(text, "0.1.0", "2026-11-24")
        self.assertEqual(dated, text.replace("## Unreleased\n", "## Unreleased\n\n## 0.1.0 - 2026-11-24\n"))
        self.assertEqual(release.dated_changelog(dated, "0.1.0", "2027-01-01"), dated)
        with self.assertRaisesRegex(release.Refused, "lists no change"):
            release.dated_changelog(dated, "0.1.1", "2027-01-01")

    def test_a_release_dates_the_changelog_and_asks_for_a_commit_first(self):
        status, said = self.run_release(VERSION)
        self.assertEqual((status, "commit it, then run this again" in said), (0, True), said)
        self.assertRegex((self.tree / "CHANGELOG.md").read_text(), rf"\n## {VERSION} - \d{{4}}-\d\d-\d\d\n")
        self.assertIn("not committed", self.run_release(VERSION)[1])
        git(self.tree, "commit", "-qam", "date")
        self.assertEqual(self.run_release(VERSION)[0], 0)

    def test_a_tag_is_created_only_if_it_is_asked_for(self):
        def tags():
            return subprocess.run(["git", "tag"], cwd=self.tree, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        self.date_changelog()
        self.run_release(VERSION)
        self.assertEqual(tags(), [])
        git(self.tree, "config", "user.name", "test")
        git(self.tree, "config", "user.email", "test@localhost")
        status, said = self.run_release(VERSION, "--tag")
        self.assertEqual((status, tags()), (0, [f"v{VERSION}"]), said)

    def test_a_dry_run_changes_nothing_that_git_sees(self):
        self.archive(self.tree)
        status = subprocess.run(["git", "status", "--porcelain"], cwd=self.tree, stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(status, b"")

    def test_the_archive_of_a_tree_is_always_the_same(self):
        first = self.archive(self.tree)
        second = self.make_tree("elsewhere")
        for path in second.rglob("*"):
            if path.is_file() and not path.is_symlink() and ".git" not in path.parts:
                os.utime(path, (1, 1))
                path.chmod(path.stat().st_mode & 0o700)
        self.assertEqual(hashlib.sha256(self.archive(second)).hexdigest(), hashlib.sha256(first).hexdigest())
        (second / "CHANGELOG.md").write_text((second / "CHANGELOG.md").read_text() + "- more\n")
        self.assertNotEqual(self.archive(second), first)

    def test_the_two_files_of_a_tree_are_always_the_same_and_name_the_version(self):
        second = self.make_tree("second")
        for tree in (self.tree, second):
            self.archive(tree)
        for name in ("sessionkit.hpp", "sessionkit.cpp"):
            first = (self.tree / "build/dist/one-file" / name).read_text()
            self.assertIn(f"// sessionkit {VERSION}: ", first)
            self.assertEqual((second / "build/dist/one-file" / name).read_text(), first)

    def test_the_archive_has_the_files_of_the_tree_below_one_folder(self):
        self.archive(self.tree)
        with tarfile.open(self.tree / f"build/dist/sessionkit-{VERSION}.tar.gz") as archive:
            names = {entry.name: entry for entry in archive}
        tracked = subprocess.run(["git", "ls-files"], cwd=self.tree, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        self.assertEqual(set(names), {f"sessionkit-{VERSION}/{name}" for name in tracked})
        self.assertEqual(names[f"sessionkit-{VERSION}/scripts/release"].mode, 0o755)
        self.assertEqual(names[f"sessionkit-{VERSION}/link"].linkname, "CHANGELOG.md")

    def test_registries_get_the_checksums_and_the_address(self):
        status, said = self.run_release(VERSION, "--dry-run", "--repository", "ada/kit")
        self.assertEqual(status, 0, said)
        dist = self.tree / "build/dist"
        archive = (dist / f"sessionkit-{VERSION}.tar.gz").read_bytes()
        sha256 = hashlib.sha256(archive).hexdigest()
        self.assertIn(f'sha256: "{sha256}"', (dist / "conan-center/recipes/sessionkit/all/conandata.yml").read_text())
        self.assertIn(f"source_hash = {sha256}\n", (dist / "meson/sessionkit.wrap").read_text())
        port = (dist / "vcpkg/ports/sessionkit/portfile.cmake").read_text()
        self.assertIn(f"SHA512 {hashlib.sha512(archive).hexdigest()}\n", port)
        self.assertIn("REPO ada/kit\n", port)
        source = json.loads((dist / f"bazel/modules/sessionkit/{VERSION}/source.json").read_text())
        self.assertEqual(base64.b64decode(source["integrity"].split("-", 1)[1]).hex(), sha256)
        for path in dist.rglob("*"):
            if path.is_file() and path.suffix != ".gz" and path.parent.name != "one-file":
                self.assertNotRegex(path.read_text(), "OWNER|scripts/release", path)
                self.assertNotRegex(path.read_text(), "0{64}", path)

    def test_an_archive_that_was_published_must_be_of_this_tree(self):
        ours = self.folder / "ours.tar"
        subprocess.run(["git", "archive", f"--prefix=sessionkit-{VERSION}/", "-o", ours, "HEAD"], cwd=self.tree, check=True)
        status, said = self.run_release(VERSION, "--dry-run", "--archive", ours) # packed by git, with times
        self.assertEqual(status, 0, said)
        self.assertIn(hashlib.sha256(ours.read_bytes()).hexdigest(), said)
        (self.tree / "new").write_text("x")
        status, said = self.run_release(VERSION, "--dry-run", "--archive", ours)
        self.assertEqual((status, f"sessionkit-{VERSION}/new" in said), (1, True), said)


if __name__ == "__main__":
    unittest.main()
