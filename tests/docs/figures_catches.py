# SPDX-License-Identifier: MIT
"""Plants faults in the measured tables: check_figures.py must report each of them, and nothing in the sound pages."""
import copy
import pathlib
import re
import sys

from check_figures import tables


def planted(text, results):
    """Names, and pages or samples with a fault."""
    row = re.search(r"^\| sessionkit \|.*\n", text, re.MULTILINE)[0]
    other = re.search(r"^\| pi \| \d[\d.,]*x.*\n", text, re.MULTILINE)[0]
    digit = re.search(r"\d(?=x)", other)
    mark = re.search(r"<!-- table of bench/results: lists -->\n(?:\|.*\n)+", text)[0]
    yield "nothing", text, results, False
    yield "a row is missing", text.replace(row, "", 1), results, True
    changed = other[:digit.start()] + str((int(digit[0]) + 1) % 10) + other[digit.end():]
    yield "a figure is other", text.replace(other, changed, 1), results, True
    yield "a row is added", text.replace(row, row + row, 1), results, True
    yield "a table is missing", text.replace(mark, "", 1), results, True
    yield "a table is empty", text.replace(mark, mark.splitlines()[0] + "\n", 1), results, True
    yield "a table has another name", text.replace("bench/results: lists", "bench/results: list", 1), results, True
    newer = copy.deepcopy(results)
    for run in newer.runs:
        run["operations"]["append"]["programs"]["pi"]["ms"] = [99.0] * len(run["operations"]["append"]["programs"]["pi"]["ms"])
    yield "the samples are other", text, newer, True


def main():
    root = pathlib.Path(sys.argv[1])
    results, page = tables.results_of(root), "docs/performance.md"
    wrong = [name for name, text, samples, faulty in planted((root / page).read_text(encoding="utf-8"), results)
             if bool(list(tables.faults_of(page, text, samples))) != faulty]
    unknown = copy.deepcopy(results)
    unknown.runs[0]["operations"]["new"] = {"load": 0, "programs": {"sessionkit": {"ms": [1.0], "count": 1, "peak_kib": 1}}}
    if not list(tables.unused(unknown)):
        wrong.append("an operation is in no table")
    print("\n".join(f"not reported as it should be: {name}" for name in wrong) or "all faults are reported")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
