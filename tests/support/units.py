# SPDX-License-Identifier: MIT
"""units.py FOLDER COUNT FILE...: writes COUNT units that include these test files, so that a header is read and a template is
instantiated at most COUNT times. Each file is in a namespace of its own, because its local names may be those of another file.
There they hide functions of the same name in sessionkit_test. A unit includes the headers of its files first, outside of these
namespaces, where they have no effect any more."""
import pathlib
import re
import sys


def includes_of(file):
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not re.match(r"\s*#\s*include\b", line):
            continue
        found = re.match(r'#include (?:<([^>]+)>|"([^"]+)")', line)
        if not found:
            sys.exit(f"{file}:{number}: write '#include <...>' or '#include \"...\"' at the beginning of a line")
        system, ours = found.groups()
        beside = file.parent / (ours or "")
        yield f"#include <{system}>" if system else f'#include "{beside if beside.exists() else ours}"'


def unit(files):
    includes, parts = {}, []
    for file in files:
        includes.update(dict.fromkeys(includes_of(file)))
        parts.append(f'namespace {file.parent.name}_{file.stem} {{\n#include "{file}"\n}}\n')
    return "\n".join([*includes, *parts])


def main(folder, count, files):
    files = sorted(map(pathlib.Path, files))
    for i in range(int(count)):
        path, text = pathlib.Path(folder) / f"unit_{i}.cpp", unit(files[i::int(count)])
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


main(sys.argv[1], sys.argv[2], sys.argv[3:])
