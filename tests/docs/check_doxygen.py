# SPDX-License-Identifier: MIT
"""Doxygen has no warnings about the public headers: each type, alias, enumeration and function has a comment. The main page
lists every header, and each name that it lists is a link.

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
import xml.etree.ElementTree as ElementTree

SKIPPED = 77
KNOWN_TO_ALL = re.compile(r"Member (?:operator\S+|value_type|~?(\w+)\(.*\(function\) of (?:class|struct) \S*::\1\b)")
PLAIN = re.compile(r"\((?:variable|friend)\) of .* is not documented")


def faults_of_main_page(root, folder):
    page = ElementTree.parse(folder / "xml/indexpage.xml").getroot().find("compounddef/detaileddescription")
    linked = [each.text for each in page.iter("ref")]
    for name in sorted(set(re.findall(r"sessionkit::[\w:]+", "".join(page.itertext()))) - set(linked)):
        yield f"the main page names {name}, which the reference does not have"
    text = " ".join(page.itertext())
    for header in sorted((root / "include/sessionkit").glob("*.hpp")):
        if not header.name.startswith("src_") and not re.search(rf"\b{header.name}\b", text):
            yield f"the main page does not list {header.name}"
    if "Reference of the interface" not in (folder / "html/index.html").read_text():
        yield "html/index.html is not the main page"


def warnings_of(root):
    with tempfile.TemporaryDirectory() as folder:
        options = f"@INCLUDE = {root}/docs/Doxyfile\nGENERATE_XML = YES\nOUTPUT_DIRECTORY = {folder}\n"
        run = subprocess.run(["doxygen", "-"], input=options, cwd=root, capture_output=True, text=True, check=False)
        page = list(faults_of_main_page(root, pathlib.Path(folder)))
    print(run.stdout, end="")
    return [line for line in run.stderr.splitlines() if line.strip()] + page + ["doxygen failed"] * (run.returncode != 0)


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
