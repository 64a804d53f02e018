# SPDX-License-Identifier: MIT
"""Every C++ and CMake block in README.md and docs/ is a region of a file that the tests compile or run.

Above the block stands `<!-- path/to/file [region] -->`; in the file, the lines `// [region]` or `# [region]` open and
close the region. Indentation common to the whole region does not count.

Every sentence in quotes in docs/durability.md is the name of a test case.
"""
import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"(?:<!-- (?P<path>\S+) \[(?P<region>\w+)\] -->\n)?^```(?P<language>cpp|c\+\+|cmake)\n(?P<text>.*?)^```$",
                   re.DOTALL | re.MULTILINE)


def region_of(path, region):
    parts = re.split(rf"^[ \t]*(?://|#) \[{region}\][ \t]*\n", path.read_text(), flags=re.MULTILINE)
    return textwrap.dedent(parts[1]) if len(parts) == 3 else None


def joined(text):
    return " ".join(text.split())


def tests_that_are_not_there(root):
    names = set()
    for source in (root / "tests" / "unit").glob("*_test.cpp"):
        for case in re.findall(r'TEST_CASE\(\s*((?:"[^"\n]*"\s*)+)\)', source.read_text()):
            names.add("".join(re.findall(r'"([^"\n]*)"', case)))
    named = re.findall(r'"([^"]+)"', joined((root / "docs" / "durability.md").read_text()))
    print(f"{len(named)} tests named")
    return [name for name in named if name not in names] if named else ["docs/durability.md names no test"]


def faults(root):
    checked = 0
    for name in tests_that_are_not_there(root):
        yield f'docs/durability.md: no test is called "{name}"'
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        text = page.read_text()
        for block in BLOCK.finditer(text):
            place = f"{page.relative_to(root)}:{text.count(chr(10), 0, block.start('text'))}"
            if block["path"] is None:
                yield f"{place}: the block names no file"
                continue
            file = root / block["path"]
            wanted = region_of(file, block["region"]) if file.exists() else None
            if wanted is None:
                yield f"{place}: no region [{block['region']}] in {block['path']}"
            elif wanted != block["text"]:
                yield f"{place}: differs from [{block['region']}] in {block['path']}"
            checked += 1
    print(f"{checked} blocks checked")
    if checked == 0:
        yield "README.md shows no program"


if __name__ == "__main__":
    broken = list(faults(pathlib.Path(sys.argv[1])))
    for line in broken:
        print(f"broken: {line}")
    sys.exit(1 if broken else 0)
