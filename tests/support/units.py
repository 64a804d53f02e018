# SPDX-License-Identifier: MIT
"""units.py FOLDER COUNT FILE...: writes COUNT units of about the same length that have these test files in them, so that each
header is read and each template made COUNT times only. A file is in a namespace of its own, because its local names may be
those of another file; what it includes was included before."""
import pathlib
import re
import sys


def includes_of(file):
    for name in re.findall(r"^#include (.*)$", file.read_text(), re.MULTILINE):
        beside = file.parent / name.strip('"')
        yield f'#include "{beside}"' if beside.exists() else f"#include {name}"


def unit(files):
    includes, parts = {}, []
    for file in files:
        includes.update(dict.fromkeys(includes_of(file)))
        parts.append(f'namespace {file.parent.name}_{file.stem} {{\n#include "{file}"\n}}\n')
    return "\n".join([*includes, *parts])


def shares(files, count):
    """The longest first, each to the share that is the shortest so far."""
    share = [(0, i, []) for i in range(count)]
    for file in sorted(files, key=lambda file: (-file.stat().st_size, file)):
        length, i, taken = min(share)
        share[i] = (length + file.stat().st_size, i, [*taken, file])
    return [sorted(taken) for _, _, taken in sorted(share, key=lambda one: one[1])]


def main(folder, count, files):
    for i, taken in enumerate(shares([pathlib.Path(file) for file in files], int(count))):
        path, text = pathlib.Path(folder) / f"unit_{i}.cpp", unit(taken)
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


main(sys.argv[1], sys.argv[2], sys.argv[3:])
