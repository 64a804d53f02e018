#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of including and linking the library, as the tables of docs/performance.md. Only lines and sizes are
comparable between machines; seconds are processor time of this one, medians of rounds in random order.

bench/cost/run.py                   headers, libraries, which packaging/debian/create builds, and parts of the source
bench/cost/run.py --sizes ARCHIVE   writes the sizes of hello with this library, in four ways of linking, as JSON, of
                                    which bench/peers/tables.py makes a table
bench/cost/run.py --check PAGE      fails if sessionkit.hpp has more lines than the page states, or than nlohmann's
"""
import argparse
import datetime
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/headers"))
from check_tree import lines  # noqa: E402

GROWTH = 1.02
HEADERS = ["sessionkit/sessionkit.hpp", "sessionkit/message.hpp", "sessionkit/json.hpp", "nlohmann/json.hpp",
           "sdk_like.hpp", "regex", "iostream"]
FLAGS = ["-std=c++17", "-O2", f"-I{ROOT / 'include'}"]


def includes(header):
    beside = pathlib.Path(__file__).resolve().parent / header
    return f'#include "{beside}"\n' if beside.exists() else f"#include <{header}>\n"


def line_count(compiler, header):
    return lines(compiler, ROOT, includes(header))


def compile_seconds(compiler, source, flags=FLAGS):
    """Processor time of one compilation, and the size of its output."""
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder, "made.o")
        before = os.times()
        subprocess.run([compiler, *flags, "-c", source, "-o", made], check=True)
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        return seconds, text_size(made)


def run_measured(command):
    """Processor time and peak memory in megabytes of a compiler, its own programs included."""
    child = subprocess.Popen(command)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    if status != 0:
        raise subprocess.CalledProcessError(status, command)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def text_size(path):
    """Bytes of code and data, without symbols and debug information."""
    row = subprocess.run(["size", path], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[1].split()
    return int(row[0]) + int(row[1])


def kilobytes(count):
    return f"{count / 1000:,.0f} kB"


def header_table(compiler, rounds):
    seconds = {header: [] for header in HEADERS}
    with tempfile.TemporaryDirectory() as folder:
        for header in HEADERS:
            pathlib.Path(folder, header.replace("/", "_") + ".cpp").write_text(includes(header))
        for _ in range(rounds):
            for header in random.sample(HEADERS, len(HEADERS)):
                unit = pathlib.Path(folder, header.replace("/", "_") + ".cpp")
                seconds[header].append(compile_seconds(compiler, unit)[0])
    yield "| a file that includes | lines, preprocessed | seconds |"
    yield "|---|---|---|"
    for header in HEADERS:
        name = f"`{header}`" if '"' in includes(header) else f"`<{header}>`"
        yield f"| {name} | {line_count(compiler, header):,} | {statistics.median(seconds[header]):.2f} |"


COLLECTED = ["-ffunction-sections", "-fdata-sections"]


def part_table(compiler):
    """Each part of the implementation in a .cpp of its own."""
    yield "| a .cpp with | seconds | memory |"
    yield "|---|---|---|"
    for header in ("src.hpp", *sorted(path.name for path in (ROOT / "include/sessionkit").glob("src_*.hpp"))):
        with tempfile.TemporaryDirectory() as folder:
            unit, made = (pathlib.Path(folder, name) for name in ("unit.cpp", "unit.o"))
            unit.write_text(includes(f"sessionkit/{header}"))
            seconds, memory = run_measured([compiler, "-std=c++17", "-O2", f"-I{ROOT / 'include'}", "-c", unit, "-o", made])
        yield f"| `{header}` | {seconds:.1f} | {memory:,.0f} MB |"


def source_table(compiler):
    """What a session needs as one .cpp, or all as one, and hello.cpp linked with it, both with these flags."""
    hello = ROOT / "examples/hello/hello.cpp"
    session = [f"sessionkit/src_{part}.hpp" for part in ("core", "transcript", "file_store", "history", "session")]
    yield "| | seconds | memory | hello, stripped | the same, collected |"
    yield "|---|---|---|---|---|"
    for name, headers in (("all", ["sessionkit/src.hpp"]), ("session", session)):
        for level in ("-O2", "-O1", "-Os"):
            flags = ["-std=c++17", level, *COLLECTED, f"-I{ROOT / 'include'}"]
            with tempfile.TemporaryDirectory() as folder:
                unit, made, whole, collected = (pathlib.Path(folder, name) for name in ("unit.cpp", "unit.o", "a", "b"))
                unit.write_text("".join(map(includes, headers)))
                seconds, memory = run_measured([compiler, *flags, "-c", unit, "-o", made])
                link = [compiler, *flags, hello, made, "-lfmt", "-s"]
                subprocess.run([*link, "-o", whole], check=True)
                subprocess.run([*link, "-Wl,--gc-sections", "-o", collected], check=True)
                yield (f"| {name} {level} | {seconds:.0f} | {memory:,.0f} MB | {kilobytes(whole.stat().st_size)} | "
                       f"{kilobytes(collected.stat().st_size)} |")


def stripped(path, folder):
    copy = pathlib.Path(folder, path.name)
    subprocess.run(["strip", "-o", copy, path], check=True)
    return copy.stat().st_size


STATIC = ["-static", *COLLECTED, ROOT / "bench/cost/fmt_static.cpp"]
LINKS = {  # ways to link hello with libsessionkit.a
    "libc, libstdc++ and fmt shared": ["-lfmt"], "the same, with `-Wl,--gc-sections`": ["-lfmt", "-Wl,--gc-sections"],
    "fully static": STATIC, "fully static, with `-Wl,--gc-sections`": [*STATIC, "-Wl,--gc-sections"]}


def program_sizes(compiler, archive):
    """Stripped programs, in bytes."""
    hello = ROOT / "examples/hello/hello.cpp"
    sizes = {}
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "hello")
        for way, flags in LINKS.items():
            subprocess.run([compiler, *FLAGS, hello, archive, *flags, "-s", "-o", program], check=True)
            sizes[way] = program.stat().st_size
    version = subprocess.run([compiler, "-dumpfullversion"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return {"date": datetime.date.today().isoformat(), "compiler": f"{pathlib.Path(compiler).name} {version}",
            "archive": archive.stat().st_size, "hello": sizes}


def library_table(compiler):
    hello = ROOT / "examples/hello/hello.cpp"
    for form in ("static", "shared"):
        subprocess.run([ROOT / "packaging/debian/create", form], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    static, shared = (ROOT / f"build/debian-{form}" for form in ("static", "shared"))
    archive = static / "libsessionkit.a"
    library = (shared / "libsessionkit.so").resolve()
    with tempfile.TemporaryDirectory() as folder:
        program, collected = pathlib.Path(folder, "hello"), pathlib.Path(folder, "collected")
        link = [compiler, *FLAGS, hello, archive, "-lfmt"]
        subprocess.run([*link, "-o", program], check=True)
        subprocess.run([*link, "-Wl,--gc-sections", "-o", collected], check=True)
        rows = [
            ("`libsessionkit.a`", archive.stat().st_size),
            ("`libsessionkit.so`", library.stat().st_size),
            ("the same, stripped", stripped(library, folder)),
            ("object of `examples/hello/hello.cpp`, code and data", compile_seconds(compiler, hello)[1]),
            ("that program, linked static, stripped", stripped(program, folder)),
            ("the same, linked with `-Wl,--gc-sections`", stripped(collected, folder)),
        ]
    yield "| what | size |"
    yield "|---|---|"
    yield from (f"| {name} | {kilobytes(size)} |" for name, size in rows)


def check(compiler, page):
    kept = re.search(r"^\| `<sessionkit/sessionkit.hpp>` \| ([\d,]+) \|", page.read_text(), re.MULTILINE)
    if not kept:
        return f"{page} keeps no count"
    most = int(kept[1].replace(",", "")) * GROWTH
    ours, theirs = (line_count(compiler, header) for header in ("sessionkit/sessionkit.hpp", "nlohmann/json.hpp"))
    print(f"sessionkit.hpp: {ours} lines, kept {kept[1]}, nlohmann/json.hpp {theirs}")
    if ours > most:
        return f"more than {most:.0f}: make it less, or measure again"
    return "no less than nlohmann/json.hpp" if ours >= theirs else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", type=pathlib.Path, metavar="PAGE")
    parser.add_argument("--sizes", type=pathlib.Path, metavar="ARCHIVE")
    arguments = parser.parse_args()
    if arguments.sizes:
        return print(json.dumps(program_sizes(arguments.compiler, arguments.sizes), indent=1))
    if arguments.check:
        return check(arguments.compiler, arguments.check)
    print(*header_table(arguments.compiler, arguments.rounds), "", *library_table(arguments.compiler), "",
          *part_table(arguments.compiler), "", *source_table(arguments.compiler), sep="\n")
    return None


if __name__ == "__main__":
    sys.exit(main())
