# SPDX-License-Identifier: MIT
"""Doxygen has no warnings about the public headers: each type, alias, enumeration and function has a comment.

Members of a documented aggregate need no comment if name and type are clear, nor do names that every reader of C++
knows: constructors, assignments, comparisons, `*`, `->`, `value_type`.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
KNOWN_TO_ALL = re.compile(r"Member (?:operator\S+|value_type|~?(\w+)\(.*\(function\) of (?:class|struct) \S*::\1\b)")
PLAIN = re.compile(r"\((?:variable|friend)\) of .* is not documented")


def warnings_of(root):
    with tempfile.TemporaryDirectory() as folder:
        options = f"@INCLUDE = {root}/docs/Doxyfile\nGENERATE_HTML = NO\nGENERATE_XML = YES\nOUTPUT_DIRECTORY = {folder}\n"
        run = subprocess.run(["doxygen", "-"], input=options, cwd=root, capture_output=True, text=True, check=False)
    print(run.stdout, end="")
    return [line for line in run.stderr.splitlines() if line.strip()] + ["doxygen failed"] * (run.returncode != 0)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("doxygen") is None:
        print("SKIPPED: doxygen is not installed")
        return 1 if os.environ.get("SESSIONKIT_DOCS") == "required" else SKIPPED
    said = warnings_of(root)
    left = [line for line in said if not PLAIN.search(line) and not KNOWN_TO_ALL.search(line)]
    print(f"{len(said)} remarks, {len(left)} of them about names that need a comment")
    print("\n".join(left))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
