# SPDX-License-Identifier: MIT
"""Plants faults in a page of platforms: check_platforms.py must report each of them, and nothing in the sound page."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from check_platforms import (commit_faults, compiler_faults, history_of, promise_faults, run_faults, shown, table_of,
                             windows_faults, windows_rows)

PAGE = """
## Which promise was proved where

| platform | targets | contract | unit tests | power cuts |
|---|---|---|---|---|
| Linux | `x86_64-linux-gnu`, `x86_64-linux-musl` | ran here | not tried | by ctest |
| Checked | `x86_64-linux-libc++` | not tried | by ctest | not tried |
| Other | `s390x-linux-gnu` | ran under qemu-s390x | ran under qemu-s390x | not tried |
| Windows | | not tried | not tried | not tried |

## The programs

| column | program | what it does |
|---|---|---|
| contract | `kit` | a |
| unit tests | `unit` | b |

## What ran

| target | compiler | way | program | how | seen | date | commit |
|---|---|---|---|---|---|---|---|
| x86_64-linux-gnu | g++ (Debian 12.2.0-14) 12.2.0 | library | kit | here | All tests passed (9 assertions in 1 test case) | 2026-01-02 | 0123abcd |
| x86_64-linux-musl | clang version 22.1.8 | library | kit | here | All tests passed (9 assertions in 2 test cases) | 2026-01-02 | 0123abcd |
| x86_64-linux-gnu | g++ (Debian 12.2.0-14) 12.2.0 | library | unit | here | All tests passed (9 assertions in 2 test cases) | 2026-01-02 | 0123abcd |
| s390x-linux-gnu | s390x-linux-gnu-g++ (Debian 12.2.0-14) 12.2.0 | library | kit | qemu-s390x | All tests passed (9 assertions in 2 test cases) | 2026-01-02 | 0123abcd |
| s390x-linux-gnu | s390x-linux-gnu-g++ (Debian 12.2.0-14) 12.2.0 | library | unit | qemu-s390x | All tests passed (9 assertions in 2 test cases) | 2026-01-02 | 0123abcd |

## Windows

| what ran under wine | result | date | commit |
|---|---|---|---|
| `hello` | it resumed the session | 2026-01-03 | 0123abce |
| the kit | passed | 2026-01-03 | 0123abce |

| promise | how it is kept |
|---|---|
| one | so |

## Compilers

| compiler | C++17 | C++20 | C++23 | date | commit |
|---|---|---|---|---|---|
| g++ 12 | ran | not tried | ran | 2026-01-04 | 0123abcd |
"""
TARGETS = {"x86_64-linux-gnu": ("g++", ""), "x86_64-linux-musl": ("zig", ""), "s390x-linux-gnu": ("s390x-linux-gnu-g++", "qemu-s390x"),
           "x86_64-linux-clang": ("clang++-14", "")}
COMMITS = {"0123abcd", "0123abce"}

PLANTED = [  # text, what takes its place, the fault that is reported
    ("", "", None),
    ("| ran here | not tried |", "| ran here | ran here |", "Linux, unit tests: 'ran here', but 'not tried' was shown"),
    ("| Windows | | not tried", "| Windows | | ran here", "Windows, contract: 'ran here', but 'not tried' was shown"),
    ("| ran under qemu-s390x | ran under qemu-s390x |", "| ran here | ran under qemu-s390x |",
     "Other, contract: 'ran here', but 'ran under qemu-s390x' was shown"),
    ("| kit | qemu-s390x |", "| kit | linked |", "Other, contract: 'ran under qemu-s390x', but 'linked' was shown"),
    ("| kit | qemu-s390x |", "| kit | here |", "s390x-linux-gnu, kit: 'here', but the script shows qemu-s390x"),
    ("| clang version 22.1.8 |", "| MSVC 19.44 |", "x86_64-linux-musl is compiled by zig, not by 'MSVC 19.44'"),
    ("| s390x-linux-gnu-g++ (Debian", "| g++ (Debian", "s390x-linux-gnu is compiled by s390x-linux-gnu-g++, not by 'g++ (Debian 12.2.0-14) 12.2.0'"),
    ("| x86_64-linux-gnu | g++ (Debian 12.2.0-14) 12.2.0 | library | unit", "| x86_64-linux-clang | Debian clang version 15.0.6 | library | unit",
     "x86_64-linux-clang is compiled by clang++-14, not by 'Debian clang version 15.0.6'"),
    ("| x86_64-linux-gnu | g++ (Debian 12.2.0-14) 12.2.0 | library | unit", "| x86_64-linux-clang | Debian clang version 14.0.6 | library | unit", None),
    ("0123abcd |\n| x86_64-linux-musl", "deadbeef |\n| x86_64-linux-musl", "deadbeef is no commit of this branch"),
    ("| passed | 2026-01-03 | 0123abce |", "| passed | 2026-01-03 | deadbeef |", "deadbeef is no commit of this branch"),
    ("| ran under qemu-s390x | not tried |", "| ran under qemu-s390x | ran here |",
     "Other, power cuts: ctest runs these tests, and on one platform only"),
    ("| not tried | by ctest |\n| Checked", "| not tried | ran here |\n| Checked",
     "Linux, power cuts: ctest runs these tests, and on one platform only"),
    ("| ran here | not tried | by ctest |", "| by ctest | not tried | by ctest |", "Linux, contract: 'by ctest', but 'ran here' was shown"),
    ("| Windows | | not tried", "| Windows | | by ctest", "Windows, contract: 'by ctest', but 'not tried' was shown"),
    ("| g++ 12 | ran |", "| g++ 12 | failed |", "g++ 12, C++17: 'failed' is no result"),
    ("| 2026-01-04 |", "| |", "g++ 12 has no date or no commit"),
    ("## Compilers", "## Others", "there are no compilers"),
    ("passed (9 assertions in 1 test case)", "cases: 3, 1 failed", "x86_64-linux-gnu, kit: 'All tests cases: 3, 1 failed' is no success"),
    ("| x86_64-linux-gnu | g++ (Debian 12.2.0-14) 12.2.0 | library | unit", "| sparc-linux-gnu | g++ (Debian 12.2.0-14) 12.2.0 | library | unit", "sparc-linux-gnu is no target"),
    ("| x86_64-linux-musl | clang", "| x86_64-linux-gnu | clang", "Linux, contract: 'ran here', but 'not tried' was shown"),
    ("| 2026-01-02 | 0123abcd |\n| x86_64-linux-musl", "| | 0123abcd |\n| x86_64-linux-musl", "x86_64-linux-gnu, kit has no date or no commit"),
    ("| passed | 2026-01-03 |", "| passed | |", "Windows: | the kit | passed | | 0123abce | has no date or no commit"),
    ("| what ran under wine |", "| what ran |", "there are no rows of Windows"),
    ("| it resumed the session |", "| it ran |", "Windows: 'it ran' is no success"),
    ("| the kit | passed |", "| the kit | 3 of 4 tests passed |", "Windows: '3 of 4 tests passed' is no success"),
    ("| the kit | passed |", "| the kit | ended with status 1: All tests passed |",
     "Windows: 'ended with status 1: All tests passed' is no success"),
    ("| the kit | passed |", "| the kit | 4 tests passed, 1 failed |", "Windows: '4 tests passed, 1 failed' is no success"),
    ("| the kit | passed |", "| the kit | 4 of 4 tests passed |", None),
    ("| the kit | passed |", "| the kit | failed: wine refuses to replace a file |", None),
]


def ways_are_wrong():
    """The small program must run in each way."""
    runs = [{"target": "t", "program": "small", "way": way, "how": "here"} for way in ("library", "header_only", "one_file")]
    said = [shown(some, ["t"], "small") for some in (runs, runs[1:], [])]
    if said == ["ran here", "not tried", "not tried"]:
        return 0
    print(f"ways: {said}")
    return 1


def history_is_wrong():
    """In a repository with a commit before HEAD and one beside it."""
    if not shutil.which("git"):
        print("no git: the commits were not tried")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        alone = history_of(root)

        def git(*arguments):
            own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"]
            return subprocess.run(["git", "-C", root, *own, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

        def commit(text):
            git("commit", "-q", "--allow-empty", "-m", text)
            return git("rev-parse", "--short=8", "HEAD")

        git("init", "-q")
        first = commit("first")
        beside = commit("beside")
        git("reset", "-q", "--hard", first)
        head = commit("head")
        seen = history_of(root)
        shown = (alone, [seen(name) for name in (first, head, beside, "deadbeef")])
    if shown == (None, [True, True, False, False]):
        return 0
    print(f"history: {shown}")
    return 1


def main():
    wrong = 0
    for text, planted, fault in PLANTED:
        assert text in PAGE, text
        page = PAGE.replace(text, planted, 1) if text else PAGE
        runs = table_of(page, "What ran")
        found = [*run_faults(runs, TARGETS), *promise_faults(page, runs), *windows_faults(page), *compiler_faults(table_of(page, "Compilers")),
                 *commit_faults([*runs, *windows_rows(page)], COMMITS.__contains__)]
        if (fault is None) != (not found) or (fault and not any(line == f"docs/platforms.md: {fault}" for line in found)):
            wrong += 1
            print(f"planted: {planted}\n  wanted: {fault}\n  found: {found}")
    wrong += history_is_wrong() + ways_are_wrong()
    print(f"{len(PLANTED)} planted, {wrong} not reported as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
