# SPDX-License-Identifier: MIT
"""The rooms of the tree, as docs/architecture.md lists them, and the rules that keep files in them."""
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
LICENCE = "// SPDX-License-Identifier: MIT\n"
UMBRELLAS = re.compile(r"sessionkit\.hpp|src(_\w+)?\.hpp")  # they hold the rooms and belong to none
PROGRAMS = ("tools", "examples")

# Unit tests of more than one unit, and why.
TESTS_OF_MORE = {
    "base/result_test.cpp": "Result is a template: it has no body",
    "exchange/json_bridge_test.cpp": "the bridge to nlohmann/json, json.hpp, is a template",
    "file_store/file_store_fork_test.cpp": "what a forked child gets of stores and writers in files",
    "file_store/file_store_index_test.cpp": "what a file store and its index do together",
    "file_store/file_store_journal_test.cpp": "what a file store and the journal of its index do together",
    "file_store/file_store_shared_index_test.cpp": "what a file store and another program do with the index that they share",
    "providers/provider_test.cpp": "all providers",
    "session/compaction_faults_test.cpp": "a session whose compaction fails",
    "session/compaction_profiles_test.cpp": "compactions of each profile",
    "session/cost_test.cpp": "calls and bytes of a session's verbs",
    "session/resume_race_test.cpp": "a key that several resume at once",
    "session/repeated_append_test.cpp": "appends that a host repeats",
    "session/hostile_input_test.cpp": "a session over hostile logs",
    "session/session_left_out_test.cpp": "sessions with answers that their lines cannot represent",
    "session/session_import_test.cpp": "sessions with times and metadata of their past",
    "session/session_misuse_test.cpp": "sessions and turns that are used wrongly",
    "session/state_test.cpp": "state, existence and lists as hosts of blades use them",
    "transcript/transcript_writer_faults_test.cpp": "what a writer asks of the system, and what follows if it refuses",
}


class Rooms:
    """The table of docs/architecture.md: rooms in their order, the public headers of each, what each may include."""

    def __init__(self, root):
        self.order, self.public, self.allowed, self.listed_twice = [], {}, {}, []
        text = (root / "docs/architecture.md").read_text(encoding="utf-8")
        table = re.search(r"^\| room \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
        if not table:
            raise SystemExit("docs/architecture.md has no table that begins with `| room |`")
        components = []
        for row in table[1].splitlines():
            rooms, _, headers, allowed = (cell.strip() for cell in row.strip("|").split("|"))
            names = re.findall(r"`(\w+)`", rooms)
            above = self.order + components
            for room in names:
                self.allowed[room] = self.read_allowed(allowed, above)
            if len(names) > 1 or not re.search("`", headers):
                components += names
                continue
            self.order += names
            for header in re.findall(r"`(\w+)`", headers):
                if header in self.public:
                    self.listed_twice.append(header)
                self.public[header] = names[0]
        self.components = components

    @staticmethod
    def read_allowed(text, above):
        named = re.findall(r"`(\w+)`", text)
        if text == "nothing":
            return set()
        if text == "all rooms" or text == "the rooms above":
            return set(above)
        if text.startswith("the rooms above but "):
            return set(above) - set(named)
        if re.fullmatch(r"`\w+` to `\w+`", text):
            return set(above[above.index(named[0]):above.index(named[1]) + 1])
        raise SystemExit(f"docs/architecture.md: cannot read what a room may include: {text!r}")

    def of(self, path):
        """The room of a file below include/sessionkit; None: it is in none."""
        parts = path.split("/")
        if len(parts) == 1:
            return self.public.get(parts[0][:-len(".hpp")])
        if parts[0] == "detail":
            return parts[1] if len(parts) == 3 and parts[1] in self.order else None
        return parts[0] if parts[0] in self.components else None


def headers_of(root):
    """Each header below include/sessionkit, but those that hold rooms: path and text."""
    include = root / "include/sessionkit"
    for file in sorted(include.rglob("*.hpp")):
        path = file.relative_to(include).as_posix()
        if not UMBRELLAS.fullmatch(path) and not path.endswith("/src.hpp"):
            yield path, file.read_text(encoding="utf-8")


def own_includes(text):
    return [name[len("sessionkit/"):] for name in INCLUDE.findall(text) if name.startswith("sessionkit/")]


def arrows(root, rooms):
    """(file, room, included file, its room) of each include that leads to another room; None: to no room."""
    for path, text in headers_of(root):
        own = rooms.of(path)
        for other in own_includes(text):
            room = rooms.of(other)
            if own is not None and (room is None or room != own):
                yield path, own, other, room


def knots(uses):
    """Sets of rooms that reach each other."""
    def reached(room):
        seen, todo = set(), [room]
        while todo:
            todo += (new := uses.get(todo.pop(), set()) - seen)
            seen |= new
        return seen
    reach = {room: reached(room) for room in uses}
    return sorted({tuple(sorted(b for b in reach[a] if a in reach.get(b, ()))) for a in reach if a in reach[a]})


def unit_tests_outside(root, rooms):
    include = root / "include/sessionkit"
    for file in sorted((root / "tests/unit").rglob("*_test.cpp")):
        path = file.relative_to(root / "tests/unit").as_posix()
        room, stem = path.split("/")[0], file.name[:-len("_test.cpp")]
        if path.count("/") != 1 or room not in rooms.order:
            yield f"test: tests/unit/{path} lies in no room"
            continue
        unit = [include / f"detail/{room}/{stem}.hpp", include / f"detail/{room}/{stem}-inl.hpp"]
        has_public = rooms.public.get(stem) == room and (include / f"{stem}.hpp").exists()
        if not has_public and not any(p.exists() for p in unit) and path not in TESTS_OF_MORE:
            yield f"test: tests/unit/{path} names no header or body of {room}"
    for path in TESTS_OF_MORE:
        if not (root / "tests/unit" / path).exists():
            yield f"test: tests/unit/{path} is listed in tests/headers/rooms.py and does not exist"


def check_rooms(root, _):
    rooms = Rooms(root)
    for header in rooms.listed_twice:
        yield f"table: {header}.hpp is in two rooms"
    for path in (path for path, _ in headers_of(root) if rooms.of(path) is None):
        yield f"table: {path} is in no room"
    for header in sorted(rooms.public):
        if not (root / f"include/sessionkit/{header}.hpp").exists():
            yield f"table: {header}.hpp does not exist"
    page = (root / "docs/architecture.md").read_text(encoding="utf-8")
    for path in sorted(set(re.findall(r"`(detail/[a-z_/]+(?:-inl)?\.hpp)`", page))):
        if not (root / "include/sessionkit" / path).exists():
            yield f"table: docs/architecture.md names {path}, which does not exist"
    up, uses = [], {}
    for path, own, other, room in arrows(root, rooms):
        if room is None:
            up.append(f"up: {path} ({own}) includes {other}, which is in no room")
            continue
        uses.setdefault(own, set()).add(room)
        uses.setdefault(room, set())
        if room not in rooms.allowed[own]:
            up.append(f"up: {path} ({own}) includes {other} ({room})")
    yield from up
    tied = knots(uses)
    for knot in tied:
        yield f"knot: {' '.join(knot)} include each other"
    for folder in PROGRAMS:
        for file in sorted(p for p in (root / folder).rglob("*") if p.suffix in (".cpp", ".hpp")):
            for other in own_includes(file.read_text(encoding="utf-8")):
                if "detail/" in other:
                    yield f"program: {file.relative_to(root)} includes {other}, which is private"
    strays = list(unit_tests_outside(root, rooms))
    yield from strays
    bodies = [line.split(":")[0] for line in check_bodies(root, _)]
    print(f"upward arrows {len(up)}, knots between rooms {len(tied)}, "
          f"bodies without a header of their stem {bodies.count('header')}, "
          f"bodies without a first sentence {bodies.count('sentence')}, unit tests outside their room {len(strays)}")


def has_first_sentence(text):
    """Line 2 begins a comment whose first sentence ends in it."""
    comment = re.match(re.escape(LICENCE) + r"((?:// .*\n)+)", text)
    return bool(comment and re.search(r"[^.]\.(\s|$)", comment[1]))


def wrong_namespaces(path, text):
    """Helpers of X-inl.hpp lie in `namespace X_inl { namespace {`, so that no other body sees them."""
    stem = path.rsplit("/", 1)[-1][:-len("-inl.hpp")]
    text = re.sub(r'//[^\n]*|R"(\w*)\(.*?\)\1"', "", text, flags=re.DOTALL)
    for found in re.finditer(r"(?:namespace\s+(\w+)\s*\{\s*)?\bnamespace\s*\{", text):
        if found[1] != f"{stem}_inl":
            yield f"namespace: {path} has helpers outside {stem}_inl"


def has_header(root, rooms, path):
    """A body for one system, such as `X_posix-inl.hpp`, may have the header `X.hpp`, which all systems share."""
    folder, name = path.rsplit("/", 1)
    stem = name[:-len("-inl.hpp")]
    include = root / "include/sessionkit"
    room = rooms.of(path)
    if any((include / folder / f"{own}.hpp").exists() for own in (stem, re.sub(r"_(posix|wasi|windows)$", "", stem))):
        return True
    if room in rooms.components:
        return (include / room / f"{stem}.hpp").exists()
    return rooms.public.get(stem) == room and (include / f"{stem}.hpp").exists()


def check_lists(root, rooms, bodies):
    """Each src.hpp holds each body of its room once, each src/<room>.cpp its room, and src.hpp all rooms."""
    include = root / "include/sessionkit"
    for room in rooms.order + rooms.components:
        folder = room if room in rooms.components else f"detail/{room}"
        if not (include / folder).exists():
            continue
        source = include / folder / "src.hpp"
        held = own_includes(source.read_text(encoding="utf-8")) if source.exists() else []
        wanted = [path for path in bodies if rooms.of(path) == room]
        for path in sorted(set(wanted) | set(held)):
            if held.count(path) != wanted.count(path):
                yield f"list: {folder}/src.hpp names {path} {held.count(path)} times"
        source = root / f"src/{room}.cpp"
        if not source.exists() or source.read_text(encoding="utf-8") != f"{LICENCE}#include <sessionkit/{folder}/src.hpp>\n":
            yield f"list: src/{room}.cpp does not include exactly {folder}/src.hpp"
    for source in sorted((root / "src").rglob("*.cpp")):
        if source.parent != root / "src" or source.stem not in rooms.order + rooms.components:
            yield f"list: {source.relative_to(root)} is of no room"
    cmake = (root / "cmake/SessionkitTargets.cmake").read_text(encoding="utf-8")
    built = re.search(r"set\(sessionkit_rooms ([^)]*)\)", cmake)
    if not built or built[1].split() != rooms.order:
        yield "list: cmake/SessionkitTargets.cmake does not build the rooms in their order"
    parts = sorted(include.glob("src_*.hpp"))
    held = [name for part in parts for name in own_includes(part.read_text(encoding="utf-8"))]
    wanted = [f"detail/{room}/src.hpp" for room in rooms.order]
    for name in sorted(set(held) | set(wanted)):
        if held.count(name) != wanted.count(name):
            yield f"list: {', '.join(p.name for p in parts)} name {name} {held.count(name)} times"
    if sorted(own_includes((include / "src.hpp").read_text(encoding="utf-8"))) != [part.name for part in parts]:
        yield f"list: src.hpp does not name exactly {', '.join(p.name for p in parts)}"


def check_bodies(root, _):
    rooms = Rooms(root)
    texts = {path: text for path, text in headers_of(root) if path.endswith("-inl.hpp")}
    stems = {}
    for path, text in texts.items():
        stem = path.rsplit("/", 1)[-1][:-len("-inl.hpp")]
        if stem in stems:
            yield f"stem: {path} has the stem of {stems[stem]}"
        stems.setdefault(stem, path)
        if not has_header(root, rooms, path):
            yield f"header: {path} has no header of its stem"
        if not has_first_sentence(text):
            yield f"sentence: {path} does not say in its second line what it does"
        yield from wrong_namespaces(path, text)
    yield from check_lists(root, rooms, sorted(texts))
