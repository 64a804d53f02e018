# SPDX-License-Identifier: MIT
"""docs/platforms.md: a cell of the table of promises says what the rows under "What ran" show, for the targets of its line and
the program of its column. These rows are of programs that passed, on targets of scripts/platforms, with the compiler of the
target and what runs its programs. A target may have no row: then it was not tried. Each row names a commit before this one."""
import pathlib
import re
import shutil
import subprocess
import sys

from pages import rows_of, section_of

ELSEWHERE = {"crash tests, SQLite and servers", "power cuts"}  # tests of ctest, which run on one platform
PASSED = re.compile(r"All tests passed \(\d+ assertions in \d+ test cases?\)|sessionkit \S+: stored and read|\d+ kB, not run|"
                    r"the same \d+ lines as here|the same bytes in \d+ files, continued on (\d+) of \1 targets")
WORDS = {"here": "ran here", "linked": "linked"}
# Under Windows, what a row says if all went well; and the rows that say what wine cannot do.
WENT_WELL = re.compile(r"\bpassed\b|\bnone lost\b|\bresumed the session\b|\bthe same bytes\b|\bdid its work or reported\b|\bstored and read\b")
WENT_WRONG = re.compile(r"\bfailed\b|\bnot passed\b|\bended with status\b|\b(\d+) of (?!\1\b)\d+ \w+ passed")
CANNOT_UNDER_WINE = re.compile(r"failed: wine refuses|wine refused to replace the file, and nothing changed")
OF_CTEST = {"x86_64-linux-gnu", "x86_64-linux-gnu-clang", "x86_64-linux-libc++"}  # targets on which ctest runs


def table_of(text, title):
    """The rows of the section's only table, each as a dict by the names of the columns."""
    head, *rows = rows_of(section_of(text, title)) or [[]]
    return [dict(zip(head, row)) for row in rows]


def shown(runs, targets, program):
    """What the rows show: every target of a platform must have run the program, and the small one in each way."""
    ways = {"library", "header_only", "one_file"} if program == "small" else {"library"}
    seen = {(run["target"], run["way"]): WORDS.get(run["how"], f"ran under {run['how']}") for run in runs if run["program"] == program}
    cells = [seen.get((target, way)) for target in targets for way in ways]
    return ", ".join(sorted(set(cells))) if cells and all(cells) else "not tried"


def promise_faults(text, runs):
    programs = {row["column"]: row["program"].strip("`") for row in table_of(text, "The programs")}
    promises = table_of(text, "Which promise was proved where")
    print(f"{len(promises)} platforms, {len(programs)} programs")
    if not promises or not programs:
        yield "docs/platforms.md has no promises"
    for row in promises:
        targets = re.findall(r"`([^`]+)`", row["targets"])
        for column, cell in row.items():
            if column in programs:
                seen = shown(runs, targets, programs[column])
                by_ctest = (cell, seen) == ("by ctest", "not tried") and targets and OF_CTEST.issuperset(targets)
                if cell != seen and not by_ctest:
                    yield f"docs/platforms.md: {row['platform']}, {column}: '{cell}', but '{seen}' was shown"
            elif column in ELSEWHERE and cell != "not tried" and (cell != "by ctest" or "x86_64-linux-gnu" not in targets):
                yield f"docs/platforms.md: {row['platform']}, {column}: ctest runs these tests, and on one platform only"


def read_targets(lines):
    """Of each line of `scripts/platforms --list`: target -> (the first word of its compiler, what runs its programs)"""
    rows = [line.split("|") for line in lines.splitlines()]
    return {target: (compiler.split()[0], runner) for target, compiler, runner in rows}


def says_version(command, text):
    """Whether this compiler prints such a version."""
    numbered = re.fullmatch(r"clang\+\+-(\d+)", command)
    if numbered:
        return re.fullmatch(rf"(\w+ )?clang version {numbered[1]}\.\d+\.\d+.*", text)
    return re.fullmatch(r"clang version \d+\.\d+\.\d+" if command == "zig" else rf"{re.escape(command)} \(.*\) \d+\.\d+\.\d+", text)


def row_faults(run, compiler, runner):
    ways = {"": {"here"}, "link": {"linked"}, "wasi": {"node", "wasmtime"}}.get(runner, {runner})
    if not says_version(compiler, run["compiler"]):
        yield f"docs/platforms.md: {run['target']} is compiled by {compiler}, not by '{run['compiler']}'"
    if run["how"] not in ways:
        yield f"docs/platforms.md: {run['target']}, {run['program']}: '{run['how']}', but the script shows {' or '.join(sorted(ways))}"


def run_faults(runs, targets):
    ran = {run["target"] for run in runs}
    print(f"{len(runs)} rows of {len(ran)} targets; not tried: {', '.join(sorted(set(targets) - ran)) or 'none'}")
    for run in runs:
        if run["target"] in targets:
            yield from row_faults(run, *targets[run["target"]])
        elif "windows" not in run["target"]:
            yield f"docs/platforms.md: {run['target']} is no target"
        if not PASSED.fullmatch(run["seen"]):
            yield f"docs/platforms.md: {run['target']}, {run['program']}: '{run['seen']}' is no success"
        if not is_dated(run):
            yield f"docs/platforms.md: {run['target']}, {run['program']} has no date or no commit"


def is_dated(run):
    return re.fullmatch(r"\d{4}-\d\d-\d\d", run["date"]) and re.fullmatch(r"[0-9a-f]{8,40}", run["commit"])


def windows_rows(text):
    """The first table of the section about Windows has what ran under wine."""
    lines = section_of(text, "Windows").partition("| what ran under wine |")[2].partition("\n\n")[0].splitlines()[2:]
    for line in lines:
        *_, date, commit = (cell.strip() for cell in line.strip(" |").split("|"))
        yield {"line": line, "result": line.split(" | ")[1], "date": date, "commit": commit}


def windows_faults(text):
    rows = list(windows_rows(text))
    print(f"{len(rows)} rows of Windows")
    if not rows:
        yield "docs/platforms.md: there are no rows of Windows"
    yield from (f"docs/platforms.md: Windows: {row['line']} has no date or no commit" for row in rows if not is_dated(row))
    yield from (f"docs/platforms.md: Windows: '{row['result']}' is no success" for row in rows
                if not CANNOT_UNDER_WINE.search(row["result"])
                and (not WENT_WELL.search(row["result"]) or WENT_WRONG.search(row["result"])))


def commit_faults(rows, is_earlier):
    for commit in sorted({row["commit"] for row in rows if is_dated(row)}):
        if not is_earlier(commit):
            yield f"docs/platforms.md: {commit} is no commit of this branch"


def compiler_faults(rows):
    print(f"{len(rows)} compilers")
    if not rows:
        yield "docs/platforms.md: there are no compilers"
    for row in rows:
        if not is_dated(row):
            yield f"docs/platforms.md: {row['compiler']} has no date or no commit"
        for standard in ("C++17", "C++20", "C++23"):
            if row[standard] not in ("ran", "compiled", "in CI", "not tried"):
                yield f"docs/platforms.md: {row['compiler']}, {standard}: '{row[standard]}' is no result"


def history_of(root):
    """Whether a commit is HEAD or before it. None: the tree has no whole history, as an archive and a shallow clone."""
    def git(*arguments):
        return subprocess.run(["git", "-C", root, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if not (root / ".git").exists() or not shutil.which("git") or git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        return None
    return lambda commit: git("merge-base", "--is-ancestor", f"{commit}^{{commit}}", "HEAD").returncode == 0


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    text = (root / "docs/platforms.md").read_text(encoding="utf-8")
    runs = table_of(text, "What ran")
    listed = subprocess.run([root / "scripts/platforms", "--list"], check=True, stdout=subprocess.PIPE, text=True)
    found = [*run_faults(runs, read_targets(listed.stdout)), *promise_faults(text, runs), *windows_faults(text)]
    compilers = table_of(text, "Compilers")
    found += compiler_faults(compilers)
    is_earlier = history_of(root)
    if is_earlier:
        found += commit_faults([*runs, *windows_rows(text), *compilers], is_earlier)
    else:
        print("no whole history of git: the commits of the rows were not looked for")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
