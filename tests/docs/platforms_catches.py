# SPDX-License-Identifier: MIT
"""Plants faults in a page of platforms: check_platforms.py must report each of them, and nothing in the sound page."""
import sys

from check_platforms import promise_faults, run_faults, table_of, windows_faults

PAGE = """
## Which promise was proved where

| platform | targets | contract | unit tests | power cuts |
|---|---|---|---|---|
| Linux | `x86_64-linux-gnu`, `x86_64-linux-musl` | ran here | not tried | ran here |
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
| x86_64-linux-gnu | g++ | library | kit | here | All tests passed (9 assertions in 1 test case) | 2026-01-02 | 0123abcd |
| x86_64-linux-musl | zig | library | kit | here | All tests passed (9 assertions in 2 test cases) | 2026-01-02 | 0123abcd |
| x86_64-linux-gnu | g++ | library | unit | here | All tests passed (9 assertions in 2 test cases) | 2026-01-02 | 0123abcd |
| s390x-linux-gnu | g++ | library | kit | qemu-s390x | All tests passed (9 assertions in 2 test cases) | 2026-01-02 | 0123abcd |
| s390x-linux-gnu | g++ | library | unit | qemu-s390x | All tests passed (9 assertions in 2 test cases) | 2026-01-02 | 0123abcd |

## Windows

| what ran under wine | result | date | commit |
|---|---|---|---|
| `hello` | it ran | 2026-01-03 | 0123abce |
| the kit | passed | 2026-01-03 | 0123abce |

| promise | how it is kept |
|---|---|
| one | so |
"""
TARGETS = {"x86_64-linux-gnu", "x86_64-linux-musl", "s390x-linux-gnu"}

PLANTED = [  # text, what takes its place, the fault that is reported
    ("", "", None),
    ("| ran here | not tried |", "| ran here | ran here |", "Linux, unit tests: 'ran here', but 'not tried' was shown"),
    ("| Windows | | not tried", "| Windows | | ran here", "Windows, contract: 'ran here', but 'not tried' was shown"),
    ("| ran under qemu-s390x | ran under qemu-s390x |", "| ran here | ran under qemu-s390x |",
     "Other, contract: 'ran here', but 'ran under qemu-s390x' was shown"),
    ("| kit | qemu-s390x |", "| kit | linked |", "Other, contract: 'ran under qemu-s390x', but 'linked' was shown"),
    ("| ran under qemu-s390x | not tried |", "| ran under qemu-s390x | ran here |",
     "Other, power cuts: ctest runs these tests on one platform only"),
    ("passed (9 assertions in 1 test case)", "cases: 3, 1 failed", "x86_64-linux-gnu, kit: 'All tests cases: 3, 1 failed' is no success"),
    ("| x86_64-linux-gnu | g++ | library | unit", "| sparc-linux-gnu | g++ | library | unit", "sparc-linux-gnu is no target"),
    ("| x86_64-linux-musl | zig", "| x86_64-linux-gnu | zig", "Linux, contract: 'ran here', but 'not tried' was shown"),
    ("| 2026-01-02 | 0123abcd |\n| x86_64-linux-musl", "| | 0123abcd |\n| x86_64-linux-musl", "x86_64-linux-gnu, kit has no date or no commit"),
    ("| passed | 2026-01-03 |", "| passed | |", "Windows: | the kit | passed | | 0123abce | has no date or no commit"),
    ("| what ran under wine |", "| what ran |", "there are no rows of Windows"),
]


def main():
    wrong = 0
    for text, planted, fault in PLANTED:
        assert text in PAGE, text
        page = PAGE.replace(text, planted, 1) if text else PAGE
        runs = table_of(page, "What ran")
        found = [*run_faults(runs, TARGETS), *promise_faults(page, runs), *windows_faults(page)]
        if (fault is None) != (not found) or (fault and not any(line == f"docs/platforms.md: {fault}" for line in found)):
            wrong += 1
            print(f"planted: {planted}\n  wanted: {fault}\n  found: {found}")
    print(f"{len(PLANTED)} planted, {wrong} not reported as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
