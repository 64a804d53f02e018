# SPDX-License-Identifier: MIT
"""Every relative link of every page leads to a file, and its anchor to a heading; every file and script that a page
names exists, whatever its suffix (`/X` means any name); docs/README.md lists every page of docs/."""
import pathlib
import re
import sys

from pages import pages_of, prose_of

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
NAMED = re.compile(r"(?<![\w./-])((?:scripts|examples|bench|packaging|tests/(?:cli|crash|data|dialects|docs|oracle|unit))/[\w./-]*\w)")


def anchors_of(text):
    """The anchors that GitHub makes from headings."""
    seen, anchors = {}, set()
    for heading in re.findall(r"^#+ (.*)$", prose_of(text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        anchors.add(f"{slug}-{seen[slug]}" if slug in seen else slug)
        seen[slug] = seen.get(slug, 0) + 1
    return anchors


def link_faults(page, text):
    for link in LINK.finditer(prose_of(text)):
        target, _, anchor = link[1].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        place = (page.parent / target).resolve() if target else page
        if not place.exists():
            yield f"there is no {link[1]}"
        elif anchor and anchor not in anchors_of(place.read_text(encoding="utf-8")):
            yield f"no heading for {link[1]}"


def faults(root):
    links = 0
    for page in pages_of(root):
        text = page.read_text(encoding="utf-8")
        links += len(LINK.findall(prose_of(text)))
        name = page.relative_to(root)
        yield from (f"{name}: {fault}" for fault in link_faults(page, text))
        yield from (f"{name}: there is no {file}" for file in sorted(set(NAMED.findall(text)))
                    if "/X" not in file and not any((root / file).parent.glob(f"{pathlib.Path(file).stem}*")))
    listed = {(root / "docs" / link).resolve() for link in LINK.findall((root / "docs/README.md").read_text(encoding="utf-8"))}
    for page in sorted((root / "docs").rglob("*.md")):
        if page != root / "docs/README.md" and page not in listed:
            yield f"docs/README.md does not list {page.relative_to(root)}"
    print(f"{links} links")


def main():
    found = list(faults(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
