# SPDX-License-Identifier: MIT
"""Compares the public functions and types of a shared library, built with debug information, with the files kept of a release.

check_abi.py LIBRARY KEPT            fails if programs that were linked with the release would break
check_abi.py LIBRARY KEPT --write    keeps what the library has now, for a new minor version
check_abi.py LIBRARY KEPT --finds X  fails unless the comparison fails and names each X

abidiff compares functions and the types they reach. It ignores members of containers and variants, so layouts are compared too.
"""
import argparse
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

RULES = ["--suppressions", str(pathlib.Path(__file__).resolve().parents[1] / "data/abi/public.suppr")]
INSIDE = re.compile(r"::State$|::detail::")


def dump_of(library):
    command = ["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", *RULES, library]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def facts_of_class(node):
    """Size, bases, members and virtual functions, each with its place."""
    yield f"{node.get('size-in-bits')} bits"
    for base in node.findall("base-class"):
        yield f"base at bit {base.get('layout-offset-in-bits')}"
    for member in node.findall("data-member"):
        if member.get("static") != "yes":
            yield f"{member.find('var-decl').get('name')} at bit {member.get('layout-offset-in-bits')}"
    for member in node.findall("member-function"):
        if member.get("vtable-offset") is not None:
            yield f"virtual {member.find('function-decl').get('name')} at {member.get('vtable-offset')}"


def public_types(dump):
    """name -> facts, for types in sessionkit's namespace outside detail; enumerations have a value for each name."""
    types = {}

    def walk(node, scope):
        for child in node:
            name = f"{scope}::{child.get('name')}".removeprefix("::")
            if child.tag == "namespace-decl":
                if child.get("name") not in ("", None, "detail"):
                    walk(child, name)
            elif child.tag == "member-type":
                walk(child, scope)
            elif not name.startswith("sessionkit::v0::") or child.get("is-declaration-only") == "yes" or INSIDE.search(name):
                continue
            elif child.tag == "class-decl":
                types.setdefault(name, set()).update(facts_of_class(child))
                walk(child, name)
            elif child.tag == "enum-decl":
                values = {f"{value.get('name')} = {value.get('value')}" for value in child.findall("enumerator")}
                types.setdefault(name, set()).update(values)

    for unit in xml.etree.ElementTree.fromstring(dump):
        walk(unit, "")
    return types


def layout_changes(before, after):
    """An enumeration may have more names than before; any other type in both must be unchanged. A missing type is reported with
    the functions that took it."""
    for name in sorted(before.keys() & after.keys()):
        gone, come = before[name] - after[name], after[name] - before[name]
        if gone or not all(" = " in fact for fact in come):
            yield f"{name}: was " + ", ".join(sorted(gone)) + "; is " + ", ".join(sorted(come))


def function_changes(before, after):
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, name) for name in ("before.abi", "after.abi")]
        for file, dump in zip(files, (before, after)):
            file.write_bytes(dump)
        command = ["abidiff", "--no-added-syms", "--leaf-changes-only", *RULES, *map(str, files)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode & 3:
        sys.exit(f"abidiff failed with {done.returncode}: {done.stdout}")
    return [done.stdout] if done.returncode else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("kept", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--finds", action="append", default=[])
    arguments = parser.parse_args()
    now = dump_of(arguments.library)
    if arguments.write:
        arguments.kept.write_bytes(lzma.compress(now, preset=9 | lzma.PRESET_EXTREME))
        return 0
    if not arguments.kept.exists():
        print(f"there is no {arguments.kept}: a new minor version has one, made with --write")
        return 1
    kept = lzma.decompress(arguments.kept.read_bytes())
    before, after = public_types(kept), public_types(now)
    found = [*function_changes(kept, now), *layout_changes(before, after)]
    print(f"{len(before)} public types kept, {len(after)} now", *found, sep="\n")
    if arguments.finds:
        missed = [name for name in arguments.finds if name not in "\n".join(found)]
        print(*(f"not found: {name}" for name in missed), sep="\n")
        return 1 if missed else 0
    if found:
        print("Programs linked with this release would break: the minor version has to grow, or the change has to wait.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
