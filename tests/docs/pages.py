# SPDX-License-Identifier: MIT
"""Shared by the checks of the documents: the pages and their content."""
import os
import pathlib
import re

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def pages_of(root):
    """Every page of the tree, except built or installed ones. Files of build/ come and go while other tests run."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in ("build", "node_modules", ".git")]
        found += [pathlib.Path(folder, name) for name in files if name.endswith(".md")]
    return sorted(found)


def prose_of(text):
    """The page without its code blocks; line numbers are kept."""
    return FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)


def section_of(text, title):
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def rows_of(text):
    """The rows of the tables, each as its cells; the lines under heads are left out."""
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
            for line in text.splitlines() if line.startswith("|")]
    return [row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]
