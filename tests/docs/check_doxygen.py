# SPDX-License-Identifier: MIT
"""Doxygen has no warnings about the public headers, and each public name has a comment of its own: types, functions, fields,
enumerators, aliases, constants and macros. The main page lists every header, and each name that it lists is a link.

Functions that are deleted, or defaulted, need no comment: every reader of C++ knows what they do.
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
LEFT_TO_THE_LANGUAGE = re.compile(r"= ?(?:delete|default)\b")


def faults_of_main_page(root, folder):
    page = ElementTree.parse(folder / "xml/indexpage.xml").getroot().find("compounddef/detaileddescription")
    linked = [each.text for each in page.iter("ref")]
    for name in sorted(set(re.findall(r"sessionkit::[\w:]+", "".join(page.itertext()))) - set(linked)):
        yield f"the main page names {name}, which the reference does not have"
    text = " ".join(page.itertext())
    for header in sorted((root / "include/sessionkit").glob("*.hpp")):
        if not header.name.startswith("src_") and not re.search(rf"\b{header.name}\b", text):
            yield f"the main page does not list {header.name}"
    if "Reference of the interface" not in (folder / "html/index.html").read_text(encoding="utf-8"):
        yield "html/index.html is not the main page"


def has_comment(element):
    parts = (element.find("briefdescription"), element.find("detaileddescription"))
    return any("".join(part.itertext()).strip() for part in parts if part is not None)


def place_of(element):
    location = element.find("location")
    return f"{location.get('file').split('include/sessionkit/')[-1]}:{location.get('line')}"


def names_of(compound):
    """(element, place, qualified name) of a page of the reference and of everything on it that is not private"""
    scope = compound.findtext("compoundname")
    if compound.get("prot") == "private":
        return
    if compound.get("kind") in ("class", "struct", "union"):
        yield compound, place_of(compound), scope
    for member in compound.iter("memberdef"):
        if member.get("prot") == "private" or LEFT_TO_THE_LANGUAGE.search(member.findtext("argsstring") or ""):
            continue
        name = member.findtext("name") if compound.get("kind") == "file" else f"{scope}::{member.findtext('name')}"
        yield member, place_of(member), name
        for value in member.findall("enumvalue"):
            yield value, place_of(member), f"{name}::{value.findtext('name')}"


def undocumented(folder):
    """The names without a comment, with their places, and the number of all names. A function that a header repeats has one id."""
    seen, found = set(), set()
    for page in sorted((folder / "xml").glob("*.xml")):
        for compound in ElementTree.parse(page).getroot().findall("compounddef"):
            if compound.get("kind") in ("class", "struct", "union", "namespace", "file"):
                for element, place, name in names_of(compound):
                    seen.add(element.get("id"))
                    if not has_comment(element):
                        found.add(f"{place}: {name} has no comment")
    return sorted(found), len(seen)


def faults_of(root, html=True):
    with tempfile.TemporaryDirectory() as folder:
        options = (f"@INCLUDE = {root}/docs/Doxyfile\nGENERATE_XML = YES\nGENERATE_HTML = {'YES' if html else 'NO'}\n"
                   f"OUTPUT_DIRECTORY = {folder}\n")
        run = subprocess.run(["doxygen", "-"], input=options, cwd=root, capture_output=True, text=True, check=False)
        faults = [line for line in run.stderr.splitlines()
                  if line.strip() and not line.endswith("is not documented.")]  # of those the pages know more
        missing, count = undocumented(pathlib.Path(folder))
        if html:
            faults += faults_of_main_page(root, pathlib.Path(folder))
    return faults + missing + ["doxygen failed"] * (run.returncode != 0), count


def skipped():
    print("SKIPPED: doxygen is not installed")
    return 1 if os.environ.get("SESSIONKIT_DOCS") == "required" else SKIPPED


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("doxygen") is None:
        return skipped()
    faults, count = faults_of(root)
    print(f"{count} public names, {len(faults)} faults")
    print("\n".join(faults))
    return 1 if faults or count < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
