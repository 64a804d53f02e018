# SPDX-License-Identifier: MIT
"""tail -f while other processes write: each entry once, in order, complete."""
import json
import os
import random
import select
import signal
import subprocess
import time
import unittest

from support import SESSIONKIT, ProgramTest

DEADLINE = 30.0


def line(entry, text="x"):
    return json.dumps({"type": "message", "id": entry, "parentId": None, "timestamp": "2026-01-01T00:00:00.000Z",
                       "message": {"role": "user", "content": [{"type": "text", "text": text}]}}) + "\n"


class Follower:
    """A running tail -f --json, read without waiting forever."""

    def __init__(self, test, *args, json_lines=True):
        command = [SESSIONKIT, "tail", "-f", *map(str, args), *(["--json"] if json_lines else [])]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=test.folder,
                                        env=test.environment())
        self.out = b""
        test.addCleanup(self.stop)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def until(self, done):
        """Reads stdout until `done(ids)`; the ids of all entries printed so far, complete lines only."""
        end = time.monotonic() + DEADLINE
        while not done(self.ids()) and time.monotonic() < end:
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                piece = os.read(self.process.stdout.fileno(), 1 << 20)
                if not piece:
                    break
                self.out += piece
        return self.ids()

    def ids(self):
        return [json.loads(row)["id"] for row in self.out.split(b"\n")[:-1]]

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        rest, err = self.process.communicate(timeout=DEADLINE)
        self.out += rest
        return self.process.returncode, err.decode()


class Tail(ProgramTest):
    def session(self, entries=0):
        session = self.new("--id", "talk-0001")
        for i in range(entries):
            self.say(session, "user", f"text {i}", "--entry-id", f"e{i}")
        return session

    def test_without_f_it_prints_the_last_entries_and_ends(self):
        session = self.session(4)
        self.assertEqual(self.ok("tail", session).out, "".join(f"user> text {i}\n" for i in range(4)))
        self.assertEqual(self.ok("tail", "-n", "2", session).out, "user> text 2\nuser> text 3\n")
        self.assertEqual(self.ok("tail", "-n", "0", session).out, "")
        rows = self.ok("tail", "-n", "1", session, "--json").out.splitlines()
        self.assertEqual([json.loads(row)["id"] for row in rows], ["e3"])
        self.assertEqual(rows, self.file_of(session).read_text().splitlines()[-1:])  # byte for byte
        self.fails(3, "tail", "-f", "nobody")

    def test_f_prints_entries_of_another_process_and_ctrl_c_ends_it(self):
        session = self.session(2)
        follower = Follower(self, session, "-n", "1")
        follower.until(lambda ids: ids == ["e1"])
        for i in range(5):
            self.say(session, "user", "from another process", "--entry-id", f"n{i}")
        self.assertEqual(follower.until(lambda ids: len(ids) >= 6), ["e1"] + [f"n{i}" for i in range(5)])
        code, err = follower.interrupt()
        self.assertEqual((code, err), (130, ""))
        self.assertEqual(len(follower.ids()), 6)

    def test_each_entry_is_printed_once_in_order_and_never_before_it_is_whole(self):
        session = self.session(1)
        follower = Follower(self, session, "-n", "1")
        self.assertEqual(follower.until(bool), ["e0"])  # from here on it follows
        seed = random.randrange(1 << 30)
        print("seed", seed)
        chance = random.Random(seed)
        wanted = [f"w{i}" for i in range(400)]
        writer = os.open(self.file_of(session), os.O_WRONLY | os.O_APPEND)
        self.addCleanup(os.close, writer)
        for entry in wanted:  # in pieces, as a slow or dying writer leaves them
            rest = line(entry, "x" * chance.randrange(3000)).encode()
            while rest:
                at = chance.randrange(1, len(rest) + 1)
                os.write(writer, rest[:at])
                rest = rest[at:]
        wanted = ["e0"] + wanted
        self.assertEqual(follower.until(lambda ids: len(ids) >= len(wanted)), wanted)

        os.write(writer, line("torn")[:60].encode())
        time.sleep(0.3)
        self.assertEqual(follower.until(lambda ids: True), wanted)
        self.say(session, "user", "after the torn bytes", "--entry-id", "after")
        self.assertEqual(follower.until(lambda ids: "after" in ids), wanted + ["after"])
        code, err = follower.interrupt()
        self.assertEqual(code, 130)
        self.assertEqual([json.loads(row)["notice"].count("bad_json") for row in err.splitlines()], [1], err)

    def test_a_file_that_is_removed_or_replaced_is_said_so_and_followed_on(self):
        session = self.session(2)
        path = self.file_of(session)
        follower = Follower(self, path, "-n", "1", json_lines=False)
        rows = b""

        def read_until(text):
            nonlocal rows
            end = time.monotonic() + DEADLINE
            while text not in rows and time.monotonic() < end:
                if select.select([follower.process.stderr, follower.process.stdout], [], [], 0.1)[0]:
                    for stream in select.select([follower.process.stderr, follower.process.stdout], [], [], 0)[0]:
                        rows += os.read(stream.fileno(), 1 << 16)
            self.assertIn(text, rows)

        read_until(b"user> text 1\n")
        path.rename(self.folder / "away")
        read_until(b"was removed")
        (self.folder / "new").write_text((self.folder / "away").read_text() + line("e2", "came back"))
        (self.folder / "new").rename(path)
        read_until(b"user> came back\n")
        (self.folder / "other").write_text(line("z", "all new"))
        (self.folder / "other").rename(path)
        read_until(b"is another file now; it is followed from its start")
        read_until(b"user> all new\n")
        self.assertEqual(follower.interrupt()[0], 130)
        self.assertEqual(rows.count(b"came back\n"), 1)

    def test_it_ends_when_the_reader_ends(self):
        follower = Follower(self, self.session(1))
        follower.until(lambda ids: len(ids) == 1)
        follower.process.stdout.close()
        self.assertEqual(follower.process.wait(timeout=DEADLINE), 141)  # though nothing more is written
        follower.process.stdout = None


if __name__ == "__main__":
    unittest.main()
