# SPDX-License-Identifier: MIT
"""Every public function is called in a block of a page, and the compiler agrees that it is this function.

The functions are those of doxygen's reference: of the headers under include/sessionkit, with constructors, without copies,
moves, destructors, operators and what is deleted or defaulted. The blocks are those that check_snippets.py compares with the regions of
files. Each such file is compiled without optimisation; the assembly names the line of each call. A virtual function is
called through a table: for it, its name in the block is enough. Functions are compared by their qualified name and the
number of their parameters.
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from check_snippets import BLOCK

SKIPPED = 77
REGION = r"^[ \t]*// \[{}\][ \t]*$"
LOC = re.compile(r"^\s+\.loc\s+(\d+)\s+(\d+)")
FILE = re.compile(r'^\s+\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
SYMBOL = re.compile(r"\b_ZN\w+")


def bare(name):
    """A qualified name without template arguments and the inline namespace."""
    while (shorter := re.sub(r"\s*<[^<>]*>", "", name)) != name:
        name = shorter
    return name.replace("::v0", "")


def public_functions(root):
    """(qualified name, number of parameters) -> (header, is virtual)"""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        options = f"@INCLUDE = {root}/docs/Doxyfile\nGENERATE_HTML = NO\nGENERATE_XML = YES\nOUTPUT_DIRECTORY = {folder}\n"
        subprocess.run(["doxygen", "-"], input=options, cwd=root, capture_output=True, text=True, check=True)
        for page in pathlib.Path(folder, "xml").glob("*.xml"):
            for compound in ElementTree.parse(page).getroot().findall("compounddef"):
                if compound.get("kind") in ("class", "struct", "namespace"):
                    for member in compound.iter("memberdef"):
                        found.update(function_of(bare(compound.findtext("compoundname")), member))
    return found


def function_of(scope, member):
    name, arguments = member.findtext("name"), member.findtext("argsstring") or ""
    parameters = [bare("".join(each.find("type").itertext())) for each in member.findall("param")]
    own = scope.split("::")[-1]
    copies = name == own and len(parameters) == 1 and re.fullmatch(rf"(?:const )?{own}(?: const)? ?&&?", parameters[0])
    if member.get("kind") != "function" or member.get("prot") != "public" or name.startswith(("operator", "~")):
        return {}
    if copies or re.search(r"= ?(?:delete|default)", arguments):
        return {}
    header = member.find("location").get("file").split("include/sessionkit/")[-1]
    is_virtual = member.get("virt") != "non-virtual" or "override" in arguments
    return {(f"{scope}::{name}", len(parameters)): (header, is_virtual)}


def function_named(symbol):
    """The same of a demangled symbol; None if it is no function."""
    symbol = re.sub(r"\s*\[(?:clone|abi:)[^\]]*\]", "", symbol)
    end = symbol.rfind(")")
    begin, depth = end, 0
    while begin >= 0:
        depth += {")": 1, "(": -1}.get(symbol[begin], 0)
        if depth == 0:
            break
        begin -= 1
    if begin <= 0:
        return None
    name = bare(symbol[:begin]).split(" ")[-1]
    inside = re.sub(r"\([^()]*\)", "", bare(symbol[begin + 1:end]))
    return name, 0 if inside in ("", "void") else inside.count(",") + 1


def shown_lines(root):
    """file -> the lines that pages show, and the shown text"""
    shown = {}
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
            if block["path"] and block["language"] in ("cpp", "c++") and re.search(r"^(?!#|$)", block["text"], re.MULTILINE):
                text = (root / block["path"]).read_text(encoding="utf-8")
                marks = [text.count("\n", 0, mark.start()) + 1
                         for mark in re.finditer(REGION.format(block["region"]), text, re.MULTILINE)]
                lines, texts = shown.setdefault(block["path"], (set(), []))
                lines.update(range(marks[0] + 1, marks[1]))
                texts.append(block["text"])
    return shown


def calls_of(root, path):
    """(file, line, mangled name) of each call in a translation unit"""
    places = ["include", "examples", "tests", str(pathlib.Path(path).parent), str(pathlib.Path(path).parent / "mirrors")]
    command = [*shlex.split(os.environ.get("CXX", "c++")), "-std=c++17", "-O0", "-g1", "-w", "-S", path]
    with tempfile.TemporaryDirectory() as folder:
        assembly = pathlib.Path(folder, "example.s")
        run = subprocess.run([*command, "-o", assembly, *(f"-I{place}" for place in places)],
                             cwd=root, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise SystemExit(f"{path} does not compile\n{run.stderr}")
        text = assembly.read_text(encoding="utf-8")
    names, at, found = {}, None, set()
    for line in text.splitlines():
        if place := LOC.match(line):
            at = (names.get(place[1]), int(place[2]))
        elif file := FILE.match(line):
            full = (root / (file[2] if file[3] is None else os.path.join(file[2], file[3]))).resolve()
            names[file[1]] = str(full.relative_to(root)) if root in full.parents else None
        elif at and at[0]:
            found.update((*at, symbol) for symbol in SYMBOL.findall(line))
    return found


def called_in_blocks(root, shown):
    units = sorted(path for path in shown if path.endswith(".cpp"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        calls = set().union(*pool.map(lambda path: calls_of(root, path), units))
    mangled = sorted({symbol for path, line, symbol in calls if path in shown and line in shown[path][0]})
    names = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout
    return {function_named(line) for line in names.splitlines()}


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("doxygen") is None:
        print("SKIPPED: doxygen is not installed")
        return 1 if os.environ.get("SESSIONKIT_DOCS") == "required" else SKIPPED
    functions, shown = public_functions(root), shown_lines(root)
    called = called_in_blocks(root, shown)
    text = "\n".join(each for _, texts in shown.values() for each in texts)
    missing = [(header, name, count) for (name, count), (header, is_virtual) in functions.items()
               if (name, count) not in called
               and not (is_virtual and re.search(rf"\b{name.split('::')[-1]}\(", text))]
    print(f"{len(functions)} public functions, {len(functions) - len(missing)} of them in a compiled example of a page")
    for header, name, count in sorted(missing):
        print(f"no page shows a call: {header}: {name}, {count} parameters")
    return 1 if missing or len(functions) < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
