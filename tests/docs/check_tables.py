# SPDX-License-Identifier: MIT
"""Tables that repeat other data: docs/errors.md the enumerators of `Errc`, README.md measured figures and the options of
CMakeLists.txt, of which there are fewer than ten.

The tables below a line `<!-- table of bench/results: NAME -->` are checked by check_figures.py. README.md has no other figure of the form `12x`."""
import pathlib
import re
import sys

from pages import rows_of

MEASURED = re.compile(r"<!-- table of bench/results: .+? -->\n(?:\|.*\n)+")
FIGURE = re.compile(r"\b\d[\d,.]*x\b")


def error_faults(root):
    enum = re.search(r"enum class Errc \{(.*?)\};", (root / "include/sessionkit/error.hpp").read_text(encoding="utf-8"), re.DOTALL)
    codes = re.findall(r"^\s*(\w+)(?: = \d+)?,", enum[1], re.MULTILINE)
    rows = [row for row in rows_of((root / "docs/errors.md").read_text(encoding="utf-8")) if row[0] != "`Errc`"]
    listed = [row[0].strip("`") for row in rows]
    print(f"{len(codes)} errors")
    if not codes or listed != codes:
        yield f"docs/errors.md: the table is {listed}, the enumerators are {codes}"
    yield from (f"docs/errors.md: a cell of {row[0]} is empty" for row in rows if len(row) != 4 or not all(row))


def figure_faults(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    if not MEASURED.search(text):
        yield "README.md shows no figures"
    yield from (f"README.md: {figure} has no source" for figure in FIGURE.findall(MEASURED.sub("", text)))


def option_faults(root):
    made = set(re.findall(r"^\s*(?:option\((SESSIONKIT_\w+)|set\((SESSIONKIT_\w+) \S+ CACHE)",
                          (root / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE))
    options = {name for pair in made for name in pair if name}
    listed = [name for name in re.findall(r"^\| `(SESSIONKIT_\w+)` \|", (root / "README.md").read_text(encoding="utf-8"), re.MULTILINE)]
    print(f"{len(options)} options of CMake")
    if sorted(listed) != sorted(options):
        yield f"README.md: the options are {sorted(listed)}, those of CMakeLists.txt {sorted(options)}"
    if not 0 < len(options) < 10:
        yield f"CMakeLists.txt has {len(options)} options; rule 7 of CONTRIBUTING.md wants fewer than ten"


def main():
    root = pathlib.Path(sys.argv[1])
    found = [*error_faults(root), *figure_faults(root), *option_faults(root)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
