# SPDX-License-Identifier: MIT
"""Every block of C++, CMake, Meson and INI (Conan's files) in README.md and docs/ is a region of a file that the tests
compile or run.

Above the block is `<!-- path/to/file [region] -->`; in the file, the lines `// [region]` or `# [region]` open and
close the region. Indentation common to the whole region does not count.
"""
import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"(?:<!-- (?P<path>\S+) \[(?P<region>\w+)\] -->\n)?^```(?P<language>cpp|c\+\+|cmake|meson|ini)\n(?P<text>.*?)^```$",
                   re.DOTALL | re.MULTILINE)


def region_of(path, region):
    parts = re.split(rf"^[ \t]*(?://|#) \[{region}\][ \t]*\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return textwrap.dedent(parts[1]) if len(parts) == 3 else None


def faults(root):
    checked = 0
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
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
