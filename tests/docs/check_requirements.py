# SPDX-License-Identifier: MIT
"""docs/requirements.md has a row for each of the 186 requirements, and each test that a row names exists. A row without a
test says what is open."""
import pathlib
import re
import sys

GROUPS = {"A": 39, "Z": 11, "B": 42, "C": 26, "S": 27, "K": 40}  # and B14-Mongo


def names_in(path):
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".cpp":
        found = re.findall(r"TEST_CASE\(\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+)[,)]", source)
        return {" ".join("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', case)).split()) for case in found}
    if path.suffix == ".py":
        return set(re.findall(r"def (test_\w+)\(", source))
    return set(re.findall(r"[\w.]+", source))  # a CMakeLists.txt


def faults(root):
    rows = re.findall(r"^\| ([A-Z]\d+(?:-\w+)?) \| (.+?) \| (.+?) \| (.+?) \|$", (root / "docs/requirements.md").read_text(encoding="utf-8"), re.M)
    wanted = [f"{group}{i}" for group, count in GROUPS.items() for i in range(1, count + 1)] + ["B14-Mongo"]
    found = [row[0] for row in rows]
    yield from (f"{name}: {found.count(name)} rows instead of 1" for name in wanted if found.count(name) != 1)
    yield from (f"{name}: is no requirement" for name in found if name not in wanted)
    known, checked, unmet = {}, 0, []
    for name, _, how, tests in rows:
        named = re.findall(r"`([^`:]+)::([^`]+)`", tests)
        unmet += [name] if how.startswith("OPEN:") else []
        if not named and not how.startswith("OPEN:"):
            yield f"{name}: names no test, and does not say what is open"
        for file, test in named:
            checked += 1
            path = root / file
            if file not in known:
                known[file] = names_in(path) if path.is_file() else None
            if known[file] is None:
                yield f"{name}: there is no {file}"
            elif " ".join(test.split()) not in known[file]:
                yield f'{name}: {file} has no test "{test}"'
    print(f"docs/requirements.md: {len(rows)} requirements, {checked} tests named, open: {', '.join(unmet) or 'none'}")


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
