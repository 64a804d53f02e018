# SPDX-License-Identifier: MIT
"""The rules of docs/history.md are those of the code: the same names, those about one part and those about all of the
history in the order in which they are applied.

In the code a rule is called by a string of at least two words, `policy` aside; in the document it begins a row.
"""
import pathlib
import re
import sys

NAME = r"[a-z]+(?:_[a-z]+)+|policy"


SECTION = r"^## (One part at a time|Entries|Calls, results and order)\n(.*?)(?=^## )"


def documented(text):
    return {title: re.findall(rf"^\| `({NAME})` \|", section, re.MULTILINE)
            for title, section in re.findall(SECTION, text, re.DOTALL | re.MULTILINE)}


def table_of(text, name):
    found = re.search(rf"constexpr std::array<[^;]*> {name}\{{(.*?)\}};", text, re.DOTALL)
    return re.findall(rf'\{{"({NAME})"', found[1]) if found else []


def faults(root):
    impl = root / "include" / "sessionkit" / "impl"
    sections = documented((root / "docs" / "history.md").read_text())
    told = [name for names in sections.values() for name in names]
    known = {name for source in impl.glob("history*.ipp") for name in re.findall(rf'"({NAME})"', source.read_text())}
    print(f"{len(known)} rules")
    yield from (f"not in docs/history.md: {name}" for name in sorted(known - set(told)))
    yield from (f"in docs/history.md only: {name}" for name in sorted(set(told) - known))
    yield from (f"in docs/history.md twice: {name}" for name in sorted({name for name in told if told.count(name) > 1}))
    parts = table_of((impl / "history_parts.ipp").read_text(), "part_rules")
    if not parts or parts != sections.get("One part at a time"):
        yield "docs/history.md: the rules about one part do not stand in the order of the code"
    whole = table_of((impl / "history_rules.ipp").read_text(), "structural_rules")
    if not whole or [name for name in sections.get("Calls, results and order", []) if name in whole] != whole:
        yield "docs/history.md: the rules about the whole history do not stand in the order of the code"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
