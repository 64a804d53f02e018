# SPDX-License-Identifier: MIT
"""Each test that docs/durability.md and docs/concurrency.md name exists: sentences in quotes are names of cases, numbers
begin one, and names after `kit:` are checks of the conformance kit. If a row or its section names files of tests, the case is
in one of them. The column "tested by" of docs/programs.md names
scripts of Python (`cli.export`) and of the browser (`access.mjs`)."""
import pathlib
import re
import sys

PAGES = {"durability": 50, "concurrency": 20}  # and the least number of sentences that each quotes


def cases_of(source):
    found = re.findall(r"TEST_CASE\(\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+)\)", source)
    return {" ".join("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', case)).split()) for case in found}


def tests_of(root):
    """The names of cases, among them the titles of scripts, each with the stems of its files; and the stems of all files."""
    files, stems = {}, set()
    for path in sorted((root / "tests").rglob("*_test.*")):
        source = path.read_text(encoding="utf-8")
        stems.add(path.stem)
        for name in cases_of(source) | {line.strip('"') for line in source.splitlines()[1:2] if line.startswith('"""T')}:
            files.setdefault(name, set()).add(path.stem)
    return files, stems


def stems_in(text):
    return set(re.findall(r"`(\w+_test)(?:\.py)?`", text))


def quotes_of(text):
    """Each quoted sentence, with the files that its row or paragraph and the paragraphs of its section name."""
    for section in re.split(r"^#+ .*$", text, flags=re.MULTILINE):
        paragraphs = [part for part in section.split("\n\n") if not part.lstrip().startswith("|")]
        common = stems_in("\n".join(paragraphs))
        for part in [*paragraphs, *re.findall(r"^\|.*$", section, re.MULTILINE)]:
            for name in re.findall(r'"([^"]+)"', part):
                yield " ".join(name.split()), common | stems_in(part)


def kit_of(root):
    folder = root / "include/sessionkit/testing/detail"
    return {name for path in folder.glob("*-inl.hpp") for name in re.findall(r'add\(\s*"(\w+)"', path.read_text(encoding="utf-8"))}


def faults(root):
    files, stems = tests_of(root)
    kit = kit_of(root)
    for page, least in PAGES.items():
        text = (root / f"docs/{page}.md").read_text(encoding="utf-8")
        quoted = list(quotes_of(text))
        numbers = set(re.findall(r"\bT\d+\b", text))
        checks = {name for row in re.findall(r"kit: ((?:`\w+`(?:, )?)+)", text) for name in re.findall(r"\w+", row)}
        print(f"docs/{page}.md: {len(quoted)} names, {len(numbers)} numbers, {len(checks)} checks of the kit")
        if len(quoted) < least:
            yield f"docs/{page}.md quotes fewer than {least} tests"
        yield from (f'docs/{page}.md: no test is called "{name}"' for name, _ in quoted if name not in files)
        yield from (f'docs/{page}.md: "{name}" is in {" and ".join(sorted(files[name]))}' for name, named in quoted
                    if named and not named & files.get(name, named))
        yield from (f"docs/{page}.md: no test begins with {number}" for number in sorted(numbers)
                    if not any(re.match(rf"(?:.*\b){number}\b", name) for name in files))
        yield from (f"docs/{page}.md: the kit has no check {name}" for name in sorted(checks - kit))
        yield from (f"docs/{page}.md: there is no tests/**/{stem}.*"
                    for stem in sorted(stems_in(text) - stems))


def faults_of_programs(root):
    rows = [row for row in (root / "docs/programs.md").read_text(encoding="utf-8").splitlines() if row.startswith("| ")]
    named = [name for row in rows for name in re.findall(r"`([^`]+)`", row.rstrip(" |").rpartition("|")[2])]
    print(f"docs/programs.md: {len(named)} tests")
    if len(named) < 30:
        yield "docs/programs.md names fewer than 30 tests"
    for name in named:
        suite, _, stem = name.partition(".")
        path = f"tests/interop/page/{name}" if stem == "mjs" else f"tests/{suite}/{stem}_test.py"
        if not (root / path).is_file():
            yield f"docs/programs.md: {name}: there is no {path}"


def main():
    root = pathlib.Path(sys.argv[1])
    found = [*faults(root), *faults_of_programs(root)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
