# SPDX-License-Identifier: MIT
"""The rules of docs/history.md are those of the code: the same names, those about one part and those about all of the
history in the order in which they are applied.

In the code the name of a rule is a string of at least two words, except `policy`; in the document it begins a row.
"""
import pathlib
import re
import sys

OTHERS = {"own_blocks-inl.hpp"}  # it names providers' members
NAME = r"[a-z]+(?:_[a-z]+)+|policy"


SECTION = r"^## (One part at a time|Entries|Calls, results and order)\n(.*?)(?=^## )"


def documented(text):
    return {title: re.findall(rf"^\| `({NAME})` \|", section, re.MULTILINE)
            for title, section in re.findall(SECTION, text, re.DOTALL | re.MULTILINE)}


def table_of(text, name):
    found = re.search(rf"constexpr std::array<[^;]*> {name}\{{(.*?)\}};", text, re.DOTALL)
    return re.findall(rf'\{{"({NAME})"', found[1]) if found else []


def faults(root):
    bodies = sorted((root / "include/sessionkit/detail/history").glob("*-inl.hpp"))
    room = [path.read_text(encoding="utf-8") for path in bodies if path.name not in OTHERS]
    sections = documented((root / "docs" / "history.md").read_text(encoding="utf-8"))
    listed = [name for names in sections.values() for name in names]
    known = {name for text in room for name in re.findall(rf'"({NAME})"', text)}
    print(f"{len(known)} rules")
    yield from (f"not in docs/history.md: {name}" for name in sorted(known - set(listed)))
    yield from (f"in docs/history.md only: {name}" for name in sorted(set(listed) - known))
    yield from (f"in docs/history.md twice: {name}" for name in sorted({name for name in listed if listed.count(name) > 1}))
    parts = table_of("".join(room), "part_rules")
    if not parts or parts != sections.get("One part at a time"):
        yield "docs/history.md: the rules about one part are not in the order of the code"
    whole = table_of("".join(room), "structural_rules")
    if not whole or [name for name in sections.get("Calls, results and order", []) if name in whole] != whole:
        yield "docs/history.md: the rules about the whole history are not in the order of the code"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
