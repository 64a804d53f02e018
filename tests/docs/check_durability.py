# SPDX-License-Identifier: MIT
"""Each test that docs/durability.md names exists: sentences in quotes are names of cases, numbers begin one."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
text = (root / "docs/durability.md").read_text()
names, files = set(), {}
for path in sorted((root / "tests").rglob("*_test.*")):
    source = path.read_text()
    cases = {" ".join("".join(parts).split()) for parts in
             (re.findall(r'"((?:[^"\\]|\\.)*)"', case)
              for case in re.findall(r"TEST_CASE\(\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+)\)", source))}
    names |= cases
    files[path.stem] = cases
    names |= {line.strip('"') for line in source.splitlines()[1:2] if line.startswith('"""T')}

wrong = []
quoted = [" ".join(name.split()) for name in re.findall(r'"([^"]+)"', text)]
for name in quoted:
    if name not in names:
        wrong.append(f"no test has the name: {name}")
numbers = set(re.findall(r"\bT\d+\b", text))
for number in sorted(numbers):
    if not any(re.match(rf"(?:.*\b){number}\b", name) for name in names):
        wrong.append(f"no test begins with {number}")
for stem in set(re.findall(r"`(\w+_test)(?:\.py)?`", text)):
    if stem not in files:
        wrong.append(f"there is no tests/**/{stem}.*")
print(f"{len(quoted)} names and {len(numbers)} numbers of tests")
for line in wrong:
    print(line)
sys.exit(1 if wrong or len(quoted) < 30 else 0)
