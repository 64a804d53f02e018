#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures sessionkit beside other programs that keep conversations, and writes the samples as JSON; tables.py makes the
tables of the documents of them. Each sample is a process of its own. The programs run in turns, in each second round in
the reverse order (ABBA), on the same files or on a file of their own with the same messages.

usage: run.py BIN [--out FILE] [--cache DIR] [--dir DIR] [--rounds N] [--quick] [--present] [--only PROGRAM]

BIN is the folder with the programs that `ninja sessionkit_peers sessionkit_bench` builds. Other programs are installed
into DIR of --cache: pi with npm, rig-memory with cargo, the Python packages with pip. Whatever cannot be had is named as
not run, with the reason. --present: install nothing. --quick: small files, to see that all programs work.
--only PROGRAM: only this one and sessionkit; exits with 77 if it is not there."""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PI = ROOT / "tests" / "interop" / "pi"  # measure the same version that is tested
WORD = "velvetcandle"


def parse():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("bin", type=pathlib.Path)
    words.add_argument("--out", type=pathlib.Path)
    words.add_argument("--cache", type=pathlib.Path, default=ROOT / "build" / "peers")
    words.add_argument("--dir")
    words.add_argument("--rounds", type=int, default=6)
    words.add_argument("--quick", action="store_true")
    words.add_argument("--present", action="store_true")
    words.add_argument("--only")
    return words.parse_args()


def output_of(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise OSError(f"{pathlib.Path(command[0]).name}: {lines[-1].strip()}")
    return done.stdout.strip()


class Installed:
    """The commands of the programs, their versions, and why others were not run."""

    def __init__(self, options):
        self.bin, self.cache = options.bin.resolve(), options.cache.resolve()
        self.present, self.only = options.present, options.only
        self.cache.mkdir(parents=True, exist_ok=True)
        self.commands, self.versions, self.not_run = {}, {}, {}
        for add in (self.add_built, self.add_pi, self.add_plain, self.add_rig, self.add_python, self.add_searchers):
            add()

    def attempt(self, name, install):
        if self.only not in (None, name) and name != "sessionkit":
            return
        try:
            self.commands[name], self.versions[name] = install()
        except OSError as error:
            self.not_run[name] = str(error).replace(str(ROOT), "")

    def built(self, program):
        path = self.bin / program
        if not path.exists():
            raise OSError(f"{program} is not built")
        return [str(path)]

    def add_built(self):
        compiler = output_of("g++", "-dumpfullversion")
        commit = output_of("git", "-C", ROOT, "rev-parse", "--short=8", "HEAD")
        self.attempt("sessionkit", lambda: (self.built("sessionkit_peer"), f"{commit}, g++ {compiler}"))
        self.attempt("tool", lambda: (self.built("sessionkit"), commit))
        self.attempt("nlohmann", lambda: (self.built("sessionkit_peer_nlohmann"), self.macro(
            "nlohmann/json.hpp", "NLOHMANN_JSON_VERSION_MAJOR.NLOHMANN_JSON_VERSION_MINOR.NLOHMANN_JSON_VERSION_PATCH")))
        self.attempt("sqlite", lambda: (self.built("sessionkit_peer_sqlite"), self.macro("sqlite3.h", "SQLITE_VERSION")))

    @staticmethod
    def macro(header, text):
        lines = output_of("g++", "-E", "-P", "-x", "c++", "-", input=f"#include <{header}>\nversion: {text}\n")
        return lines.splitlines()[-1].removeprefix("version:").replace(" ", "").strip('"')

    def add_pi(self):
        folder = self.cache / "pi"

        def install():
            node = output_of("node", "--version")
            lock = folder / "package-lock.json"
            if not (folder / "node_modules").is_dir() or lock.read_bytes() != (PI / "package-lock.json").read_bytes():
                self.may_install("pi")
                folder.mkdir(exist_ok=True)
                for name in ("package.json", "package-lock.json"):
                    shutil.copy(PI / name, folder / name)
                output_of("npm", "ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error",
                          cwd=folder)
            shutil.copy(HERE / "pi.mjs", folder / "pi.mjs")
            (version,) = json.loads((PI / "package.json").read_text())["dependencies"].values()
            return ["node", str(folder / "pi.mjs")], f"{version}, Node {node}"
        self.attempt("pi", install)

    def may_install(self, what):
        if self.present:
            raise OSError(f"{what} is not installed")

    def add_plain(self):
        self.attempt("node", lambda: (["node", str(HERE / "plain.mjs")], output_of("node", "--version").lstrip("v")))
        self.attempt("python", lambda: ([sys.executable, str(HERE / "plain.py")], platform.python_version()))

    def add_rig(self):
        target = self.cache / "rig"
        program = target / "release" / "rig_peer"

        def install():
            if not self.present:
                output_of("cargo", "build", "--release", "--locked", "--ignore-rust-version", "--manifest-path",
                          HERE / "rig" / "Cargo.toml", env={**os.environ, "CARGO_TARGET_DIR": str(target)})
            if not program.exists():
                self.may_install("rig-memory")
            return [str(program)], f"0.46.0, {' '.join(output_of('rustc', '--version').split()[:2])}"
        self.attempt("rig", install)

    def add_python(self):
        python = self.cache / "venv" / "bin" / "python"
        wanted = (HERE / "requirements.txt").read_text()
        stamp = self.cache / "venv" / "installed.txt"

        def install(script, package):
            if not stamp.exists() or stamp.read_text() != wanted:
                self.may_install(package)
                output_of(sys.executable, "-m", "venv", self.cache / "venv")
                output_of(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
                          HERE / "requirements.txt")
                stamp.write_text(wanted)
            version = next(line.split("==")[1] for line in wanted.splitlines() if line.startswith(package + "=="))
            return [str(python), str(HERE / script)], f"{version}, Python {platform.python_version()}"
        self.attempt("agents", lambda: install("agents_sdk.py", "openai-agents"))
        self.attempt("langgraph", lambda: install("langgraph_saver.py", "langgraph"))

    def add_searchers(self):
        for name, command in (("rg1", ["rg", "-j1", "-F", "-l", WORD]), ("rg2", ["rg", "-j2", "-F", "-l", WORD]),
                              ("grep", ["grep", "-rFl", WORD])):
            self.attempt(name, lambda: (command, output_of(command[0], "--version").splitlines()[0].split()[-1]))


class Measurement:
    def __init__(self, options, installed):
        self.installed, self.quick = installed, options.quick
        self.rounds = 2 if options.quick else options.rounds
        self.text = output_of(*installed.commands["sessionkit"], "text", "-", "0")
        self.operations, self.faults = {}, []
        self.root = pathlib.Path(tempfile.mkdtemp(dir=options.dir, prefix="sessionkit-peers-"))

    def call(self, program, *words):
        run = subprocess.run([*self.installed.commands[program], *(str(word) for word in words)], input=self.text,
                             capture_output=True, text=True)
        if run.returncode != 0:
            lines = [line for line in run.stderr.splitlines() if "Error" in line] or run.stderr.splitlines()
            return {"failed": lines[0].strip()[:100] if lines else f"exit code {run.returncode}"}
        return json.loads(run.stdout) if run.stdout.strip() else {}

    def in_turns(self, name, samplers, rounds=None):
        """`samplers`: of each program, a function that takes a sample. The first one is sessionkit's."""
        if len(samplers) == 1:
            return
        taken = {program: [] for program in samplers}
        load = os.getloadavg()[0]
        for number in range(rounds or self.rounds):
            for program in sorted(samplers, key=list(samplers).index, reverse=number % 2 == 1):
                if not any("failed" in sample for sample in taken[program]):
                    taken[program].append(samplers[program]())
        self.operations[name] = {"load": round(load, 2), "programs": {}}
        for program, samples in taken.items():
            self.operations[name]["programs"][program] = self.summary(name, program, samples)
        self.show(name)

    def summary(self, name, program, samples):
        failed = [sample["failed"] for sample in samples if "failed" in sample]
        if failed:
            if program not in ("pi", "node"):
                self.faults.append(f"{name}, {program}: {failed[0]}")
            return {"failed": failed[0]}
        counts = {sample.get("count") for sample in samples}
        if len(counts) != 1:
            self.faults.append(f"{name}, {program}: counted {sorted(counts)}")
        return {"ms": [round(sample["ms"], 5) for sample in samples], "count": counts.pop(),
                "peak_kib": round(statistics.median(sample["peak_kib"] for sample in samples))}

    def show(self, name):
        operation = self.operations[name]
        print(f"\n{name} (load {operation['load']})")
        ours = operation["programs"]["sessionkit"]
        for program, row in operation["programs"].items():
            if "failed" in row:
                print(f"  {program:<18} cannot: {row['failed']}")
                continue
            ratios = [theirs / own for theirs, own in zip(row["ms"], ours["ms"])]
            print(f"  {program:<18} {statistics.median(row['ms']):12.3f} ms  x{statistics.median(ratios):<9.2f} "
                  f"[{min(ratios):.2f}..{max(ratios):.2f}]  {row['peak_kib'] / 1024:8.1f} MiB  ({row['count']})")
        sys.stdout.flush()

    def has(self, *programs):
        return [program for program in programs if program in self.installed.commands]

    def fresh(self, name):
        folder = self.root / name
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(mode=0o700)
        return folder

    # Each program appends as often as takes about a tenth of a second or more; `ms` is for one append.
    def append(self, name, rows):
        def sampler(program, operation, count):
            def sample():
                found = self.call(program, operation, self.fresh("append"), count)
                if "ms" in found:
                    found["ms"] /= found["count"]
                return found
            return sample
        few = 100 if self.quick else 1
        self.in_turns(name, {row: sampler(program, operation, max(10, count // few))
                             for row, program, operation, count in rows if self.has(program)})

    def appends(self):
        self.append("append", [
            ("sessionkit", "sessionkit", "append", 20000), ("nlohmann", "nlohmann", "append", 20000),
            ("sqlite", "sqlite", "append", 20000), ("sqlite_row", "sqlite", "append_row", 10000),
            ("rig", "rig", "append", 10000), ("pi", "pi", "append", 10000), ("node", "node", "append", 20000),
            ("python", "python", "append", 10000), ("agents", "agents", "append", 1000),
            ("langgraph", "langgraph", "append", 100)])
        self.append("append_durable", [
            ("sessionkit", "sessionkit", "append_durable", 300), ("nlohmann", "nlohmann", "append_durable", 300),
            ("sqlite", "sqlite", "append_durable", 300), ("sqlite_row", "sqlite", "append_durable_row", 300),
            ("agents", "agents", "append_durable", 200), ("langgraph", "langgraph", "append_durable", 50)])

    OWN_FORM = ("sqlite", "rig", "agents", "langgraph")  # they read a file of their own; the others read pi's lines

    def made(self, operation, count, size, programs, folder=False):
        """A file (or folder) of messages for each program: by itself, or by sessionkit in pi's lines."""
        targets = {}
        for maker in ("sessionkit", *self.has(*self.OWN_FORM)):
            if maker in programs:
                targets[maker] = self.fresh("made-" + maker) if folder and maker in ("sessionkit", "rig") \
                    else self.root / ("made-" + maker)
                made = self.call(maker, operation, targets[maker], count, size)
                if "failed" in made:
                    self.faults.append(f"{operation}, {maker}: {made['failed']}")
        return {program: targets.get(program, targets["sessionkit"]) for program in programs}

    def remove_made(self, which="*"):
        for path in self.root.glob("made-" + which):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def history(self, name, count, kept, programs):
        targets = self.made("make_history", count, kept, programs)
        samplers = {}
        for program in programs:
            samplers[program] = lambda program=program: self.call(program, "history", targets[program], kept)
            if program == "sqlite":
                samplers["sqlite_parsed"] = lambda: self.call("sqlite", "history_parsed", targets["sqlite"], kept)
        self.in_turns(name, samplers, 2 if self.quick else 4 if count == 100000 else None)
        self.remove_made()

    def histories(self):
        programs = self.has("sessionkit", "nlohmann", "sqlite", "rig", "pi", "node", "python", "agents", "langgraph")
        for count in (100, 10000, 100000):
            self.history(f"history_{count}", count // (100 if self.quick and count > 100 else 1), 0, programs)
        for count in (10000, 100000):
            self.history(f"compacted_{count}", count // (100 if self.quick else 1), 50, programs)
        for megabytes in (10, 100, 600):
            readers = self.has("sessionkit", *(("nlohmann",) if megabytes < 600 else ()), "pi", "node", "python")
            target = self.root / "made-transcript"
            self.call("sessionkit", "make_transcript", target, max(1, megabytes // (100 if self.quick else 1)))
            self.in_turns(f"resume_{megabytes}",
                          {reader: lambda reader=reader: self.call(reader, "history", target, 0) for reader in readers},
                          2 if self.quick or megabytes == 600 else None)
            self.remove_made()

    def next_requests(self):
        programs = self.has("sessionkit", "nlohmann", "sqlite", "rig", "pi", "node", "python", "agents", "langgraph")
        for count in (100, 10000):
            many = count // (100 if self.quick and count > 100 else 1)
            rows = {"sessionkit": "next", "sessionkit_pieces": "next_pieces", **{each: "next" for each in programs[1:]},
                    **({"sqlite_parsed": "next_parsed"} if "sqlite" in programs else {})}
            targets = self.made("make_history", many, 0, programs)

            def sampler(row, operation):
                program = row.split("_")[0]

                def sample():  # on a copy, because it appends
                    self.remove_made("copy*")
                    copy = self.root / "made-copy"
                    (shutil.copytree if targets[program].is_dir() else shutil.copyfile)(targets[program], copy)
                    return self.call(program, operation, copy, 0)
                return sample
            self.in_turns(f"next_{count}", {row: sampler(row, operation) for row, operation in rows.items()})
            self.remove_made()

    def settle(self, store):
        """The index is made once, and when the sessions are no longer new; a host's appends keep it, as in real use."""
        for operation in ("index", "list"):
            time.sleep(1)
            self.call("sessionkit", operation, store, 0)

    def lists(self):
        few = 100 if self.quick else 1
        everyone = self.has("sessionkit", "nlohmann", "sqlite", "rig", "pi", "node", "python", "agents", "langgraph")
        for size in (10, 32):
            targets = self.made("make_list", 5000 // few, size, everyone, folder=True)
            self.settle(targets["sessionkit"])
            for name, limit in (("newest", 50), ("all", 0)):
                self.in_turns(f"list_{name}_{size}", {each: lambda each=each: self.call(each, "list", targets[each], limit)
                                                      for each in everyone})
            self.remove_made()
        some = self.has("sessionkit", "nlohmann", "sqlite", "agents")
        targets = self.made("make_list", 100000 // few, 1, some, folder=True)
        self.settle(targets["sessionkit"])
        self.in_turns("open_100000", {each: lambda each=each: self.call(each, "list", targets[each], 50) for each in some})
        self.remove_made()

    def processes(self, name, commands, rounds=None):
        """Whole processes, started and measured by a small program: a child of this one would inherit its peak."""
        lines = {row: "LC_ALL=C exec " + shlex.join(command) + " >/dev/null 2>&1" for row, command in commands.items()}
        self.in_turns(name, {row: lambda line=line: self.call("sessionkit", "run", line, 0) for row, line in lines.items()}, rounds)

    def searches(self):
        folder = self.fresh("made-search")
        self.call("sessionkit", "make_search", folder, 20 if self.quick else 1000)
        self.settle(folder)
        found = self.call("sessionkit", "search", folder, 0)
        if found.get("count") != 1:
            self.faults.append(f"search: {found}")
        rows = {"sessionkit": [*self.installed.commands["sessionkit"], "search", str(folder), "0"]}
        for program in self.has("rg1", "rg2", "grep"):
            rows[program] = [*self.installed.commands[program], str(folder)]
        self.processes("search", rows)
        self.remove_made()

    def checks(self):
        target = self.root / "made-verify.jsonl"
        self.call("sessionkit", "make_transcript", target, 20 if self.quick else 1000)
        rows = {"sessionkit": [*self.installed.commands["sessionkit"], "verify", str(target), "0"]}
        if self.has("tool"):
            for command in ("verify", "doctor"):
                rows["tool_" + command] = [*self.installed.commands["tool"], command, str(target)]
        self.processes("verify", rows)
        self.remove_made()


def flush_ms(folder):
    """The time of one flush of a write of 1 kB, the median of 100."""
    taken = []
    with open(folder / "flush", "wb", buffering=0) as file:
        for _ in range(100):
            file.write(b"x" * 1000)
            begin = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append((time.perf_counter() - begin) * 1000)
    return round(statistics.median(taken), 3)


def machine(folder):
    system = platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    return {"cores": os.cpu_count(), "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30),
            "architecture": platform.machine(), "system": system, "kernel": platform.release().split("-")[0],
            "file_system": output_of("findmnt", "-n", "-o", "FSTYPE", "-T", folder), "flush_ms": flush_ms(folder)}


def findings(options):
    """The rows of sessionkit_bench."""
    program = options.bin / "sessionkit_bench"
    if options.quick or not program.exists():
        return []
    words = [str(program), "--json"]
    for case in ("resume", "next", "append", "durable", "group", "index", "path", "size", "memory", "verify", "search"):
        words += ["--only", case]
    if options.dir:
        words += ["--dir", options.dir]
    run = subprocess.run(words, capture_output=True, text=True)  # exits 1 if a goal is missed
    print(run.stderr, end="")
    return json.loads(run.stdout)


def write(path, out):
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        # the samples of a program on one line
        text = re.sub(r"\[\s+([-\d., \n]+?)\s+\]", lambda found: "[" + " ".join(found[1].split()) + "]", json.dumps(out, indent=1))
        path.write_text(text + "\n")


def main():
    options = parse()
    installed = Installed(options)
    if options.only in installed.not_run:
        print(f"not run: {options.only}: {installed.not_run[options.only]}")
        return 77
    measurement = Measurement(options, installed)
    begin = time.monotonic()
    try:
        out = {"date": datetime.date.today().isoformat(), "machine": machine(measurement.root), "versions": installed.versions,
               "not_run": installed.not_run}
        for measure in (measurement.appends, measurement.histories, measurement.next_requests, measurement.lists,
                        measurement.searches, measurement.checks):
            measure()
        out["operations"], out["minutes"] = measurement.operations, round((time.monotonic() - begin) / 60, 1)
        out["bench"] = {"load": round(os.getloadavg()[0], 2), "findings": []}
        write(options.out, out)
        out["bench"]["findings"] = findings(options)
        out["minutes"] = round((time.monotonic() - begin) / 60, 1)
        write(options.out, out)
    finally:
        shutil.rmtree(measurement.root, ignore_errors=True)
    for program, reason in installed.not_run.items():
        print(f"not run: {program}: {reason}")
    for fault in measurement.faults:
        print(f"fault: {fault}")
    return 1 if measurement.faults else 0


if __name__ == "__main__":
    sys.exit(main())
