# SPDX-License-Identifier: MIT
"""Checks exported ATIF documents with the schema that is published for Python. Usage: check_atif.py SESSIONS"""
import json
import pathlib
import sys

from nat.atif import Trajectory


def main():
    paths, failed = sorted(pathlib.Path(sys.argv[1]).glob("*.json")), 0
    for path in paths:
        session = json.loads(path.read_text(encoding="utf-8"))
        document = next(content for name, content in session["files"].items() if name == session["id"] + ".json")
        try:
            Trajectory.model_validate_json(document)
        except ValueError as error:
            failed += 1
            print("%s\t%s" % (session["name"], error))
    print("ATIF: %d of %d documents pass the schema" % (len(paths) - failed, len(paths)))
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
