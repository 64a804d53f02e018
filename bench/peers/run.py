#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Resume, append and list: the real pi, plain Node, plain Python and sessionkit on the same generated files, each sample
a process of its own, taken in turns. Prints medians, ratios to sessionkit and the greatest resident sizes.

usage: run.py PEER [--cache DIR] [--dir DIR] [--rounds N] [--quick]
PEER is the program sessionkit_peer; pi comes from npm into DIR of --cache. Needs node and npm."""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PI = HERE.parent.parent / "tests" / "interop" / "pi"  # measure the same version that is tested


def parse():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("peer", type=pathlib.Path)
    words.add_argument("--cache", type=pathlib.Path, default=HERE.parent.parent / "build" / "peers")
    words.add_argument("--dir", default=None)
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--quick", action="store_true")
    return words.parse_args()


def install(cache):
    cache.mkdir(parents=True, exist_ok=True)
    lock = cache / "package-lock.json"
    if not (cache / "node_modules").is_dir() or lock.read_bytes() != (PI / "package-lock.json").read_bytes():
        for name in ("package.json", "package-lock.json"):
            shutil.copy(PI / name, cache / name)
        subprocess.run(["npm", "ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund",
                        "--loglevel=error"], cwd=cache, check=True)
    for name in ("pi.mjs", "plain.mjs"):
        shutil.copy(HERE / name, cache / name)


class Peers:
    def __init__(self, options):
        self.own = str(options.peer.resolve())
        self.commands = {
            "sessionkit": [self.own],
            "pi": ["node", str(options.cache / "pi.mjs")],
            "node": ["node", str(options.cache / "plain.mjs")],
            "python": [sys.executable, str(HERE / "plain.py")],
        }
        self.rounds = options.rounds
        self.text = subprocess.run([self.own, "text", "-", "0"], check=True, capture_output=True, text=True).stdout

    def sample(self, peer, operation, target, count):
        run = subprocess.run([*self.commands[peer], operation, str(target), str(count)], input=self.text,
                             capture_output=True, text=True)
        if run.returncode != 0:
            lines = [line for line in run.stderr.splitlines() if "Error" in line]
            return {"failed": lines[0].strip() if lines else f"exit {run.returncode}"}
        return json.loads(run.stdout)

    def compare(self, title, operation, target, count=0, per=None):
        """`target` may be created again for each sample: a function of the peer's name."""
        samples = {peer: [] for peer in self.commands}
        for _ in range(self.rounds):
            for peer in self.commands:
                where = target(peer) if callable(target) else target
                samples[peer].append(self.sample(peer, operation, where, count))
        print(f"\n{title}")
        ours = self.median(samples["sessionkit"], "ms")
        our_peak = self.median(samples["sessionkit"], "peak_kib")
        for peer, taken in samples.items():
            failed = [sample["failed"] for sample in taken if "failed" in sample]
            if failed:
                print(f"  {peer:<11} cannot: {failed[0][:100]}")
                continue
            ms, peak = self.median(taken, "ms"), self.median(taken, "peak_kib")
            each = f"{ms * 1000 / per:9.2f} us each" if per else f"{ms:12.3f} ms     "
            counted = ",".join(sorted({str(sample["count"]) for sample in taken}))
            print(f"  {peer:<11} {each}  x{ms / ours:<9.1f} peak {peak / 1024:8.1f} MiB  x{peak / our_peak:<6.1f} ({counted})")
        sys.stdout.flush()

    @staticmethod
    def median(samples, key):
        return statistics.median(sample[key] for sample in samples)


def main():
    options = parse()
    install(options.cache)
    peers = Peers(options)
    with tempfile.TemporaryDirectory(dir=options.dir, prefix="sessionkit-peers-") as name:
        root = pathlib.Path(name)

        def make(operation, target, count):
            subprocess.run([peers.own, operation, str(target), str(count)], check=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            return target

        for megabytes in (1, 10) if options.quick else (10, 100, 600):
            file = make("make", root / f"{megabytes}.jsonl", megabytes)
            peers.compare(f"resume of {megabytes} MB, compacted near its end", "resume", file)
            file.unlink()

        fresh = iter(range(10**9))

        def empty(peer):
            folder = root / f"{peer}-{next(fresh)}"
            folder.mkdir()
            return folder

        count = 2000 if options.quick else 20000
        peers.compare(f"append of {count} messages of 1 kB", "append", empty, count, per=count)

        sessions = 500 if options.quick else 5000
        store = root / "store"
        store.mkdir()
        make("make-store", store, sessions)
        peers.sample("sessionkit", "list", store, 0)  # the index is made once, as in real use
        peers.compare(f"list of {sessions} sessions", "list", store)


main()
