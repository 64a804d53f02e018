#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pattern_table.py <source tree> <header>: writes every pattern of a text in the source tree as a C++ array."""
import pathlib
import sys

from patterns import calls, patterns_of


def as_literal(argument, text):
    """The argument with each literal as it is in the source: raw ones stay raw."""
    def written(kind, value, offset):
        if kind != "literal":
            return kind, value, offset
        raw = text.startswith('R"', offset)
        return kind, f'R"patterns({value})patterns"' if raw else f'"{value}"', offset
    return [written(*token) for token in argument]


def patterns_in(root):
    for file in sorted(p for folder in ("include", "tools", "examples") for p in (root / folder).rglob("*.[hc]pp")):
        text = file.read_text(encoding="utf-8")
        for _, _, found in calls(text):
            where = next((i for i, argument in enumerate(found) if patterns_of(argument)), None)
            if where is not None:
                yield from patterns_of(as_literal(found[where], text))


def main():
    root, header = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rows = "".join(f"    {pattern},\n" for pattern in sorted(set(patterns_in(root))))
    header.parent.mkdir(parents=True, exist_ok=True)
    text = f"// Written by tests/headers/pattern_table.py.\nconstexpr char const* text_patterns[] = {{\n{rows}}};\n"
    if not header.exists() or header.read_bytes() != text.encode():  # else the test is compiled after every change of a header
        header.write_bytes(text.encode())


if __name__ == "__main__":
    main()
