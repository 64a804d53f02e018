# SPDX-License-Identifier: MIT
"""Rules of the source tree that a compiler does not check. Prints its findings; exits 1 if a rule is broken.

includes     interface headers name none of the costly headers, and sessionkit.hpp reaches none through others
rooms        includes lead down the table of docs/architecture.md; programs include public headers only; unit tests lie in
             the room of what they test
bodies       every X-inl.hpp has a header, a first sentence, a namespace of its own, and is listed once in its room's src.hpp
systems      what belongs to one operating system is in the bodies of the seam only, which systems.py lists
msvc         what MSVC compiles has nothing that it is known to refuse
patterns     a text has as many places as values
first_lines  every source file begins with its licence, every header has #pragma once
length       no source file, JavaScript too, is longer than about 500 lines
cost         preprocessed lines of sessionkit.hpp stay under the bound
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from msvc import check_msvc
from patterns import check_patterns
from rooms import INCLUDE, check_bodies, check_rooms
from systems import check_systems

# With libstdc++ 12 the standard headers of the interface are about 43,000 lines; <iostream> would add 6,000 to them,
# <filesystem> 12,000, <nlohmann/json.hpp> 36,000. Ours is what sessionkit.hpp adds to the standard headers it includes.
MOST_LINES_IN_ALL = 48_000
MOST_LINES_OF_OWN = 4_000
MOST_LINES_IN_A_FILE = 525

COSTLY = re.compile(r"nlohmann/|fmt/|filesystem$|iostream$|fstream$|regex$|sstream$")
NO_SOURCES = {"node_modules", "data", "corpus", "build", "__pycache__"}
LICENCE = "SPDX-License-Identifier: MIT"


def interface_headers(include):
    """Everything a user may include, except the bridge to another library and the bodies."""
    bodies = re.compile(r"src(_\w+)?\.hpp|.*-inl\.hpp")
    return sorted(p for p in include.rglob("*.hpp") if not bodies.fullmatch(p.name) and p != include / "sessionkit/json.hpp")


def preprocess(compiler, root, *arguments, text=""):
    """Paths of ours in the output are relative to the root, so that spaces in the root's name do no harm."""
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as unit:
        unit.write(text)
        unit.flush()
        command = [compiler, "-std=c++17", "-Iinclude", *arguments, unit.name]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=root).stdout


def lines(compiler, root, text):
    return sum(1 for line in preprocess(compiler, root, "-E", "-P", text=text).splitlines() if line.strip())


def check_includes(root, compiler):
    include = root / "include"
    for header in interface_headers(include):
        for name in INCLUDE.findall(header.read_text(encoding="utf-8")):
            if COSTLY.search(name):
                yield f"{header.relative_to(root)} includes <{name}>"
    if (include / "sessionkit/sessionkit.hpp").exists():
        rule = preprocess(compiler, root, "-M", text="#include <sessionkit/sessionkit.hpp>\n")
        reached = [path for path in rule.replace("\\\n", " ").split() if COSTLY.search(path)]
        for path in reached:
            yield f"sessionkit.hpp reaches {path}"


def is_source(path):
    script = path.suffix == "" and path.is_file() and os.access(path, os.X_OK)
    return script or path.name == "CMakeLists.txt" or path.suffix in (".hpp", ".cpp", ".cmake", ".py")


def names_its_licence(path, text):
    """C++ in the first line; scripts may have a shebang before."""
    if path.suffix in (".hpp", ".cpp"):
        return text.split("\n", 1)[0] == f"// {LICENCE}"
    return f"# {LICENCE}" in text.split("\n", 2)[:2]


def sources(root):
    for folder in (".ci", "bench", "cmake", "docs", "examples", "include", "packaging", "scripts", "src", "tests", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if is_source(path) and not NO_SOURCES & set(path.relative_to(root).parts):
                yield path, path.read_text(encoding="utf-8")


def check_first_lines(root, _):
    seen = 0
    for path, text in sources(root):
        seen += 1
        if not names_its_licence(path, text):
            yield f"{path.relative_to(root)} does not begin with {LICENCE}"
        if path.suffix == ".hpp" and "\n#pragma once\n" not in text:
            yield f"{path.relative_to(root)} has no #pragma once"
    print(f"{seen} source files")


def check_length(root, _):
    scripts = [path for folder in ("examples", "tests") for path in (root / folder).rglob("*.*js")
               if path.suffix in (".js", ".mjs") and not NO_SOURCES & set(path.relative_to(root).parts)]
    files = [*sources(root), *((path, path.read_text(encoding="utf-8")) for path in scripts)]
    lengths = {path.relative_to(root): text.count("\n") for path, text in files}
    print(f"{len(lengths)} source files, the longest of {max(lengths.values())} lines")
    yield from (f"{path} has {length} lines: split it" for path, length in lengths.items() if length > MOST_LINES_IN_A_FILE)


def check_cost(root, compiler):
    if not (root / "include/sessionkit/sessionkit.hpp").exists():
        print("no sessionkit.hpp")
        return
    text = "#include <sessionkit/sessionkit.hpp>\n"
    rule = preprocess(compiler, root, "-MM", text=text).replace("\\\n", " ")
    own_files = [root / name for name in rule.split() if name.startswith("include/")]
    names = {name for file in own_files for name in INCLUDE.findall(file.read_text(encoding="utf-8"))}
    standard = sorted(name for name in names if not name.startswith("sessionkit/"))
    in_all = lines(compiler, root, text)
    own = in_all - lines(compiler, root, "".join(f"#include <{name}>\n" for name in standard))
    print(f"sessionkit.hpp: {in_all} preprocessed lines (at most {MOST_LINES_IN_ALL}), "
          f"{own} of them ours in {len(own_files)} files (at most {MOST_LINES_OF_OWN})")
    if in_all > MOST_LINES_IN_ALL or own > MOST_LINES_OF_OWN:
        yield "sessionkit.hpp costs its users more than the bound"
    if own <= 0:
        yield "the count is wrong: sessionkit.hpp has no lines of its own"


def main():
    checks = {"includes": check_includes, "rooms": check_rooms, "bodies": check_bodies,
              "systems": check_systems, "msvc": check_msvc, "patterns": check_patterns,
              "first_lines": check_first_lines, "length": check_length, "cost": check_cost}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=checks)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="c++")
    arguments = parser.parse_args()
    broken = list(checks[arguments.check](arguments.root.resolve(), arguments.compiler))
    for line in broken:
        print(f"broken: {line}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
