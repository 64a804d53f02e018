# SPDX-License-Identifier: MIT
"""The measured tables of README.md and docs/performance.md are as bench/peers/tables.py writes them from the samples in
bench/results: no row is changed by hand, none is missing, and each operation that was measured is in a table."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/peers"))
import tables  # noqa: E402


def main():
    root = pathlib.Path(sys.argv[1])
    results = tables.results_of(root)
    found = [] if results.runs else ["bench/results has no samples"]
    for page in tables.TABLES if results.runs else ():
        found += tables.faults_of(page, (root / page).read_text(encoding="utf-8"), results)
    found += tables.unused(results)
    print(f"{len(results.runs)} runs, {sum(len(made) for made in tables.TABLES.values())} tables")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
