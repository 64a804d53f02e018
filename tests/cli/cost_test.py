# SPDX-License-Identifier: MIT
"""Verbs on a long file read what they show, not the file: bytes counted by strace."""
import json
import os
import re
import shutil
import subprocess
import unittest

from support import SESSIONKIT, ProgramTest

FILE_SIZE = 12_000_000
MOST_READ = 2_000_000


def message(number, parent, role, text):
    said = {"role": role, "content": [{"type": "text", "text": text}], "timestamp": 1735689600000 + number}
    if role == "assistant":
        said.update(provider="anthropic", model="m", stopReason="stop")
    return {"type": "message", "id": f"{number:08x}", "parentId": parent, "timestamp": "2025-01-01T00:00:00.000Z", "message": said}


def write_long_session(path):
    """Turns of 2 kB, then a compaction that keeps the last two, then one more turn."""
    size, number, parent = 0, 0, None
    with open(path, "w", encoding="utf-8") as file:
        def add(line):
            nonlocal size
            size += file.write(json.dumps(line) + "\n")
        add({"type": "session", "version": 3, "id": "long", "timestamp": "2025-01-01T00:00:00.000Z", "cwd": "/x"})
        while size < FILE_SIZE:
            add(message(number, parent, ("user", "assistant")[number % 2], "word " * 400))
            parent, number = f"{number:08x}", number + 1
        add({"type": "compaction", "id": "c0c0c0c0", "parentId": parent, "timestamp": "2025-01-01T00:00:00.000Z",
             "summary": "so far", "firstKeptEntryId": f"{number - 2:08x}", "tokensBefore": 9})
        add(message(number + 1, "c0c0c0c0", "user", "and then?"))
        add(message(number + 2, f"{number + 1:08x}", "assistant", "then it ended"))
        return f"{number + 2:08x}"


def peak_of(*command):
    """The most memory that the command held, in bytes."""
    with subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as run:
        complaint = run.stderr.read()
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    return run.returncode, complaint, used.ru_maxrss * 1024


class Memory(ProgramTest):
    HEADERS = {
        "pi": '{"type":"session","version":3,"id":"a","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/"}\n',
        "claw0": '{"type":"session","id":"a","key":"k","created":"2025-01-01T00:00:00Z"}\n',
    }

    @unittest.skipIf(os.environ.get("ASAN_OPTIONS"), "the sanitizer's own memory is more than what is measured")
    def test_short_lines_take_at_most_sixteen_times_their_bytes(self):
        small = self.folder / "small.jsonl"
        small.write_text(self.HEADERS["pi"])
        for verb in ("history", "tree", "show", "verify", "stats"):
            _, _, base = peak_of(SESSIONKIT, verb, small)
            for program, header in self.HEADERS.items():
                for line in ("{}", '{"type":"x"}', "{"):
                    file = self.folder / "lines.jsonl"
                    file.write_text(header + (line + "\n") * (900_000 // (len(line) + 1)))
                    code, complaint, peak = peak_of(SESSIONKIT, verb, file)
                    self.assertIn(code, (0, 5), complaint)
                    self.assertLess(peak - base, 16 * file.stat().st_size + (2 << 20), (program, line, verb))


@unittest.skipUnless(shutil.which("strace"), "strace is not installed")
class Cost(ProgramTest):
    def bytes_read(self, *arguments):
        trace = self.folder / "trace"
        env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", HOME=str(self.folder))
        run = subprocess.run(["strace", "-f", "-e", "trace=pread64", "-o", trace, SESSIONKIT, *map(str, arguments)],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(trace, encoding="utf-8", errors="replace") as lines:
            return run.stdout, sum(int(n) for n in re.findall(r"pread64\(.*= (\d+)$", lines.read(), re.MULTILINE))

    def test_what_the_end_of_a_file_answers_costs_the_end_of_a_file(self):
        file = self.folder / "long.jsonl"
        write_long_session(file)
        for arguments in (("history", file), ("context", file), ("last", file),
                          ("append", file, "--role", "user", "--text", "one more")):
            out, read = self.bytes_read(*arguments)
            print(f"{arguments[0]}: {read} bytes read of {os.path.getsize(file)}")
            self.assertLess(read, MOST_READ, arguments)
            self.assertGreater(read, 0, arguments)
        self.assertEqual(self.ok("last", file).out, "then it ended\n")

    def test_a_leaf_whose_id_two_entries_have_is_refused_and_both_are_named(self):
        file = self.folder / "twice.jsonl"
        with open(file, "w", encoding="utf-8") as out:
            for line in ({"type": "session", "version": 3, "id": "t", "timestamp": "2025-01-01T00:00:00.000Z", "cwd": "/x"},
                         message(1, None, "user", "first"), message(2, "00000001", "assistant", "second"),
                         message(1, "00000002", "user", "third")):
                out.write(json.dumps(line) + "\n")
        ends = []
        with open(file, "rb") as lines:
            for line in lines:
                ends.append((ends[-1] if ends else 0) + len(line))
        for verb in ("history", "show", "context", "last"):
            run = self.run_cli(verb, file, "--leaf", "00000001")
            self.assertEqual(run.code, 2, verb)
            self.assertIn(f"{ends[1]} and {ends[3]}", run.err, verb)
        self.assertEqual(self.ok("last", file, "--leaf", "00000002").out, "second\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
