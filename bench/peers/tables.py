#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the tables of README.md and docs/performance.md from the samples in bench/results/run-*.json (run.py)
and the sizes in bench/results/sizes.json (bench/cost/run.py --sizes).

tables.py [ROOT]           writes each table below a line `<!-- table of bench/results: NAME -->`
tables.py --check [ROOT]   changes nothing, and fails if a table is not as it would be written, or is missing

A ratio is the median of the ratios of all rounds of all runs; the range is their least and greatest. A cell without
a program, or whose program has no such operation, is empty."""
import json
import pathlib
import re
import statistics
import sys

MARK = re.compile(r"<!-- table of bench/results: (.+?) -->\n((?:\|.*\n)*)")
NAMES = {
    "sessionkit": "sessionkit", "sessionkit_pieces": "sessionkit, `request_pieces`", "nlohmann": "C++, nlohmann by hand",
    "sqlite": "C++, SQLite by hand", "sqlite_row": "the same with the session's row",
    "sqlite_parsed": "the same, rows parsed and dumped", "rig": "rig-memory (Rust)", "pi": "pi", "node": "plain Node",
    "python": "plain Python", "agents": "OpenAI Agents SDK, SQLite", "langgraph": "LangGraph, SQLite",
    "rg1": "`rg -j1`", "rg2": "`rg -j2`", "grep": "`grep -r`", "tool_verify": "`sessionkit verify`",
    "tool_doctor": "`sessionkit doctor`", "tool": "the command `sessionkit`"}
GIVES = {
    "sessionkit": "lock; entries of other writers are seen; the list is kept", "nlohmann": "nothing more",
    "sqlite": "a transaction", "sqlite_row": "a transaction; the list is kept", "rig": "lock; the length is compared; no flush exists",
    "pi": "no flush exists", "node": "no flush exists", "python": "no flush exists",
    "agents": "a transaction; by default each append is flushed", "langgraph": "a transaction, which stores the whole state of 500 messages; by default flushed"}


class Results:
    def __init__(self, runs, sizes):
        self.runs, self.sizes = runs, sizes

    def rows(self, operation):
        """The programs of an operation, in the order of the programs above."""
        found = {program for run in self.runs for program in run["operations"].get(operation, {"programs": {}})["programs"]}
        return [program for program in NAMES if program in found]

    def samples(self, operation, program, key):
        programs = [run["operations"][operation]["programs"] for run in self.runs if operation in run["operations"]]
        return [each[program][key] for each in programs if key in each.get(program, {})]

    def ms(self, operation, program="sessionkit"):
        return statistics.median(value for values in self.samples(operation, program, "ms") for value in values)

    def ratios(self, operation, program, base="sessionkit"):
        pairs = zip(self.samples(operation, program, "ms"), self.samples(operation, base, "ms"))
        return [theirs / ours for them, us in pairs for theirs, ours in zip(them, us)]

    def ratio(self, operation, program, base="sessionkit"):
        return statistics.median(self.ratios(operation, program, base))

    def memory(self, operation, program="sessionkit"):
        return statistics.median(self.samples(operation, program, "peak_kib")) / 1024

    def failure(self, operation, program):
        failed = self.samples(operation, program, "failed")
        return failed[0].split(": ")[-1].lower() if failed else None

    def has(self, operation, program):
        return bool(self.samples(operation, program, "ms"))

    def finding(self, name):
        found = [each for run in self.runs for each in run["bench"]["findings"] if each["name"] == name]
        return found or None


def figure(value):
    """Two digits that count."""
    if value >= 100:
        size = 10 ** (len(str(int(value))) - 2)
        return f"{round(value / size) * size:,}"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 0.995 else f"{value:.2f}" if value >= 0.095 else f"{value:.2g}"


def milliseconds(value):
    return f"{figure(value * 1000)} us" if value < 1 else f"{figure(value)} ms"


def spread(values):
    return f"{figure(statistics.median(values))}x ({figure(min(values))}x to {figure(max(values))}x)"


def cell(results, operation, program):
    """The time of sessionkit, and the ratio of another program."""
    if results.failure(operation, program):
        return f"cannot: {results.failure(operation, program)}"
    if not results.has(operation, program):
        return ""
    return milliseconds(results.ms(operation)) if program == "sessionkit" else spread(results.ratios(operation, program))


def by_program(head, operations, memory, gives=False):
    """A table with a row for each program. `operations`: titles of columns, and operations."""
    def make(results):
        yield [head, *operations, f"peak, {memory[0]}", *(["what it does besides"] if gives else [])]
        everyone = {row for operation in operations.values() for row in results.rows(operation)}
        for program in (each for each in NAMES if each in everyone):
            peak = f"{figure(results.memory(memory[1], program))} MiB" if results.has(memory[1], program) else ""
            yield [NAMES[program], *(cell(results, operation, program) for operation in operations.values()), peak,
                   *([GIVES.get(program, "")] if gives else [])]
    return make


README_ROWS = {"resume_10": "open a compacted session of 10 MB", "resume_100": "the same, 100 MB", "resume_600": "the same, 600 MB",
               "compacted_100000": "100,000 messages, a compaction keeps 50", "history_10000": "10,000 messages without a compaction",
               "next_10000": "the next request of these 10,000", "append": "append of 1 kB", "append_durable": "append of 1 kB, flushed",
               "list_newest_10": "newest 50 of 5,000 sessions", "list_all_32": "all of 5,000 sessions"}
README_COLUMNS = ("pi", "node", "python", "rig", "sqlite", "nlohmann")


def overview(results):
    """Each cell: the ratio of the time, and of the memory."""
    yield ["what", *(NAMES[program] for program in README_COLUMNS)]
    for operation, title in README_ROWS.items():
        row = [title]
        for program in README_COLUMNS:
            if results.has(operation, program):
                memory = results.memory(operation, program) / results.memory(operation)
                row.append(f"{figure(results.ratio(operation, program))}x, {figure(memory)}x")
            else:
                row.append("cannot open it" if results.failure(operation, program) else "")
        yield row


def bench_value(found, form):
    values = [each["value"] for each in found]
    value, unit = statistics.median(values), found[0]["unit"]
    shown = f"{figure(value)}x" if unit == "x" else f"{figure(value)} {unit}"
    wide = max(values) > 1.15 * min(values)
    return shown + (f" ({figure(min(values))} to {figure(max(values))})" if wide and form != "plain" else "")


def bench_goal(found):
    if "goal" not in found[0]:
        return ""
    value, goal = statistics.median(each["value"] for each in found), found[0]["goal"]
    met = value <= goal if found[0]["at_most"] else value >= goal
    bound = "at most" if found[0]["at_most"] else "at least"
    missed = "" if met else f", missed ([why](#{WHY.get(found[0]['name'], 'where-the-time-goes')}))"
    return f"{bound} {goal:g}{'x' if found[0]['unit'] == 'x' else ' ' + found[0]['unit']}{missed}"


WHY = {  # the section that explains why a row misses its goal, if it is not "Where the time goes"
    "resume.next_time": "a-request-after-a-turn", "resume.next_whole_time": "a-request-after-a-turn",
    "search.ripgrep": "search", "search.index": "an-index-for-the-search"}
BENCH_ROWS = [  # case, compared with, names of findings
    ("find the path of a resume, 172 kB kept", "`pread` of these bytes", "resume.located"),
    ("resume with the complete request, speed", "parse, build and dump the same lines with nlohmann's library", "resume.body_nlohmann"),
    ("resume of a file of 1 GB, finding the path", "the same for a file of 10 MB with the same end", "resume.size"),
    ("the same, making the request", "the same for a file of 10 MB", "resume.size_body"),
    ("request after one turn, 172 kB kept", "the first request", "resume.next"),
    ("request after one turn, 10 MB without a compaction", "the first request", "resume.next_whole"),
    ("the time of such a request, 172 kB kept", "nothing; the figure is a time", "resume.next_time"),
    ("the time of such a request, 10 MB", "nothing; the figure is a time", "resume.next_whole_time"),
    ("peak memory of a resume at 1 GB", "the same at 10 MB", "memory.resume"),
    ("peak memory of a fold at 1 GB", "the same at 10 MB", "memory.fold"),
    ("peak memory of reading by pages at 1 GB", "the same at 10 MB", "memory.pages"),
    ("peak memory of `verify` at 1 GB", "the same at 10 MB", "memory.verify"),
    ("read the complete path of 100 MB without a compaction", "`read` of the file", "path.whole"),
    ("make the context of that path", "`read` of the file", "path.whole_decoded"),
    ("append of an already encoded line of 1 kB, speed", "one bare `write`", "append.line"),
    ("the same, speed", "only the five system calls of this append", "append.line_calls"),
    ("these five system calls alone, speed", "one bare `write`", "append.calls"),
    ("the same line by a `TranscriptWriter` that keeps the lock, speed", "one bare `write`", "append.leased"),
    ("append of a message by `Session::append`, speed", "one bare `write`", "append.message"),
    ("durable append", "`write` and `fdatasync`", "append.durable"),
    ("durable append that ends a turn", "`write` and `fdatasync`", "append.turn"),
    ("8 writers of durable messages, speed", "one writer", "append.group"),
    ("end of a turn in a store of 100,000 sessions", "end of a turn in a store of 1,000 sessions", "index.update"),
    ("list the newest 50 of 100,000 sessions, store already open", "nothing; the figure is a time", "index.newest"),
    ("open a store of 100,000 sessions, list the newest 50", "`read` of its index", "index.open"),
    ("`verify` of 1 GB, speed", "`read` of the file", "verify"),
    ("`search` of a rare word in 1,000 sessions of 1 MB, one thread", "`rg -j1 -F -l`", "search.ripgrep"),
    ("the same search", "`read` of the files", "search.read"),
    ("the same search with an up-to-date `SearchIndex`, store already open", "nothing; the figure is a time", "search.index"),
]


def bench(results):
    yield ["case", "compared with", "median of the runs", "goal"]
    for case, beside, name in BENCH_ROWS:
        if found := results.finding(name):
            yield [case, beside, bench_value(found, ""), bench_goal(found)]


# The goals of the project: text, operation, dividend and divisor, what the ratio may be at most, and the reason if it is more.
RAW_ROWS = "the other program joins its rows unchanged; sessionkit decodes, checks and encodes each message"
GOALS = [
    ("10,000 messages without a compaction, over SQLite's rows by hand", "history_10000", "sessionkit", "sqlite", 2, RAW_ROWS),
    ("the same for 100,000 messages", "history_100000", "sessionkit", "sqlite", 2, RAW_ROWS),
    ("10,000 messages without a compaction, over rig-memory", "history_10000", "sessionkit", "rig", 1 / 1.3, RAW_ROWS),
    ("the same for 100,000 messages", "history_100000", "sessionkit", "rig", 1 / 1.3, RAW_ROWS),
    ("newest 50 of 5,000 sessions in a new process, over SQLite's index", "list_newest_10", "sessionkit", "sqlite", 2,
     "sessionkit looks at each of the 50 transcripts, which another program may have changed"),
    ("`Session::append`, over nlohmann and a bare `write`", "append", "sessionkit", "nlohmann", 1,
     "the lock and the look at the file need four more system calls"),
    ("a rare word in 1 GB, over `rg -j1`", "search", "sessionkit", "rg1", 1.5,
     "each line is also looked at for escapes that may mean the word"),
    ("the command `sessionkit verify`, over the library's `verify`", "verify", "tool_verify", "sessionkit", 1.3,
     "the command also counts what it found"),
    ("the command `sessionkit doctor`, over the library's `verify`", "verify", "tool_doctor", "sessionkit", 1.3,
     "`doctor` also makes the summary of each session"),
]


def goals(results):
    yield ["time", "measured", "goal, at most", "met or missed"]
    for text, operation, dividend, divisor, most, reason in GOALS:
        if results.has(operation, dividend) and results.has(operation, divisor):
            ratios = results.ratios(operation, dividend, divisor)
            met = statistics.median(ratios) <= most
            yield [text, spread(ratios), f"{figure(most)}x", "met" if met else f"missed: {reason}"]
    if results.has("history_100000", "sessionkit"):
        body = results.samples("history_100000", "sessionkit", "count")[0] / 2**20
        ratio = results.memory("history_100000") / body
        yield ["peak memory for 100,000 messages, over the body", f"{figure(ratio)}x", "1.3x", "met" if ratio <= 1.3 else "missed"]


def conditions(results):
    """Where and when it was measured, and with which versions."""
    yield ["what", "value"]
    first = results.runs[0]["machine"]
    yield ["machine", f"{first['cores']} cores, {first['memory_gib']} GiB, {first['architecture']}, {first['system']}, "
                      f"Linux {first['kernel']}, {first['file_system']}"]
    yield ["runs", f"{len(results.runs)}, {', '.join(sorted({run['date'] for run in results.runs}))}"]
    loads = [operation["load"] for run in results.runs for operation in run["operations"].values()]
    yield ["load of one minute before an operation", f"{min(loads):.1f} to {max(loads):.1f}"]
    flushes = [run["machine"]["flush_ms"] for run in results.runs]
    yield ["time of a flush", " and ".join(sorted({f"{value:.2f} ms" for value in flushes}))]
    for program, version in results.runs[-1]["versions"].items():
        yield [NAMES[program], version]
    for program, reason in results.runs[-1]["not_run"].items():
        yield [NAMES[program], f"not run: {reason}"]
    yield ["Claude Agent SDK", "not run: it needs a separate program"]


def sizes(results):
    """Written by bench/cost/run.py --sizes."""
    yield ["file", "size"]
    yield ["`libsessionkit.a`, build type Release", f"{results.sizes['archive'] / 1000:,.0f} kB"]
    for way, size in results.sizes["hello"].items():
        yield [f"the program `hello` with this library, stripped: {way}", f"{size / 1000:,.0f} kB"]


TABLES = {  # page and name: the rows
    "README.md": {"overview": overview},
    "docs/performance.md": {
        "results": bench,
        "goals": goals,
        "appends": by_program("program", {"not flushed": "append", "flushed each time": "append_durable"},
                              ("not flushed", "append"), True),
        "complete histories": by_program("program", {"100 messages": "history_100", "10,000": "history_10000", "100,000": "history_100000"},
                                         ("100,000", "history_100000")),
        "compacted histories": by_program("program", {"10,000 messages, 50 kept": "compacted_10000", "100,000": "compacted_100000"},
                                          ("100,000", "compacted_100000")),
        "compacted files": by_program("program", {"10 MB": "resume_10", "100 MB": "resume_100", "600 MB": "resume_600"},
                                      ("100 MB", "resume_100")),
        "next requests": by_program("program", {"after 100 messages": "next_100", "after 10,000": "next_10000"},
                                    ("10,000", "next_10000")),
        "lists": by_program("program", {"newest 50 of 5,000, 10 kB each": "list_newest_10", "32 kB each": "list_newest_32",
                                        "all 5,000, 10 kB each": "list_all_10", "all, 32 kB each": "list_all_32",
                                        "newest 50 of 100,000": "open_100000"}, ("all, 32 kB", "list_all_32")),
        "search": by_program("program", {"a rare word in 1 GB": "search"}, ("of the process", "search")),
        "verify": by_program("what", {"1 GB": "verify"}, ("of the process", "verify")),
        "conditions": conditions,
        "sizes": sizes,
    },
}


def written(rows):
    head, *rest = [list(row) for row in rows]
    lines = [head, ["---"] * len(head), *rest]
    return "".join("| " + " | ".join(row) + " |\n" if row is not lines[1] else "|" + "|".join(row) + "|\n" for row in lines)


def replaced(page, text, results):
    """The page with its tables written again, and the names of the tables that it has."""
    seen = []

    def again(found):
        seen.append(found[1])
        make = TABLES[page].get(found[1])
        return f"<!-- table of bench/results: {found[1]} -->\n" + (written(make(results)) if make else "")
    return MARK.sub(again, text), seen


def faults_of(page, text, results):
    """What differs between the page and the samples."""
    made, seen = replaced(page, text, results)
    for name in TABLES[page]:
        if seen.count(name) != 1:
            yield f"{page}: the table '{name}' is there {seen.count(name)} times"
    yield from (f"{page}: no table is named '{name}'" for name in seen if name not in TABLES[page])
    have, want = text.splitlines(), made.splitlines()
    yield from (f"{page}: not of the samples: {line}" for line in have if line not in want and line.startswith("|"))
    yield from (f"{page}: missing: {line}" for line in want if line not in have)
    if text != made:
        yield f"{page}: run bench/peers/tables.py"


def unused(results):
    """Operations that were measured and are in no table."""
    class Asked(Results):
        used = set()

        def samples(self, operation, program, key):
            self.used.add((operation, program))
            return super().samples(operation, program, key)
    asked = Asked(results.runs, results.sizes)
    for tables in TABLES.values():
        for make in tables.values():
            list(make(asked))
    for run in results.runs:
        for operation, found in run["operations"].items():
            yield from (f"{operation} of {program} is in no table" for program in found["programs"]
                        if (operation, program) not in asked.used)


def results_of(root):
    files = sorted((root / "bench/results").glob("run-*.json"))
    sizes_file = root / "bench/results/sizes.json"
    return Results([json.loads(path.read_text()) for path in files], json.loads(sizes_file.read_text()))


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    root = pathlib.Path(words[0]) if words else pathlib.Path(__file__).resolve().parents[2]
    results, faults = results_of(root), []
    if not results.runs:
        return "bench/results has no run-*.json"
    for page in TABLES:
        text = (root / page).read_text()
        if "--check" not in sys.argv:
            text, _ = replaced(page, text, results)
            (root / page).write_text(text)
        faults += faults_of(page, text, results)
    faults += unused(results)
    print(f"{len(results.runs)} runs, {sum(len(tables) for tables in TABLES.values())} tables")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
