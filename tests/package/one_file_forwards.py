# SPDX-License-Identifier: MIT
"""one_file_forwards.py DIR: for each header that sessionkit.hpp has, writes a header of its name into DIR, which includes
sessionkit.hpp instead. So sources that name single headers, such as the conformance kit, are compiled against that file."""
import importlib.machinery
import importlib.util
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load_script():
    sys.dont_write_bytecode = True # the script lies in the tree
    loader = importlib.machinery.SourceFileLoader("one_file", str(ROOT / "scripts/one-file"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("one_file", loader))
    loader.exec_module(module)
    return module


def main():
    folder = pathlib.Path(sys.argv[1])
    header, _ = load_script().make(ROOT)
    names = re.findall(r"^// (sessionkit/\S+\.hpp)$", header, re.MULTILINE)
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"#include <sessionkit/sessionkit.hpp>\n")


if __name__ == "__main__":
    main()
