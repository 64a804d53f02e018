# SPDX-License-Identifier: MIT
"""T11: a full disk, and space again; T13: a disk that becomes read-only."""
import os
import sys

from mounts import SOAK, Content, Mounted, call, said, write

failures = []


def check(what, ok):
    if not ok:
        failures.append(what)
        print("FAILED:", what)


def fill(size):
    with Mounted("tmpfs", f"size={size}k") as disk:
        folder = os.path.join(disk.path, "store")
        ballast = os.path.join(disk.path, "ballast")
        with open(ballast, "wb") as out:
            out.write(b"x" * 8192)
        first = write(folder, "a", "entry", 5000)
        acked = said(first, "ACK")
        refusals = said(first, "ERR")
        content = Content(folder)
        name = f"{size} KiB"
        check(f"{name}: what was acknowledged is read from the full disk", content.lost(acked) == 0)
        check(f"{name}: nothing is doubled", content.doubled() == 0)
        check(f"{name}: the disk was full: {refusals}", refusals and set(refusals) <= {"no_space", "outcome_unknown"})
        os.unlink(ballast)
        second = write(folder, "b", "entry", 20)
        acked += said(second, "ACK")
        check(f"{name}: with space again it goes on", len(said(second, "ACK")) > 0)
        content = Content(folder)
        check(f"{name}: all is there in the end", content.ok and content.lost(acked) == 0 and content.doubled() == 0)
        return len(acked)


def read_only():
    with Mounted("tmpfs", "size=1m") as disk:
        folder = os.path.join(disk.path, "store")
        acked = said(write(folder, "a", "turn", 40), "ACK")
        before = sorted(os.listdir(folder))
        call("mount", "-o", "remount,ro", disk.path)
        refused = write(folder, "b", "turn", 4)
        check("read-only: refused as such", "ERR io_error 30" in refused and "ACK" not in refused)
        content = Content(folder)
        check("read-only: what is there is read", content.ok and content.lost(acked) == 0 and len(acked) == 40)
        check("read-only: nothing is left behind", sorted(os.listdir(folder)) == before)
        call("mount", "-o", "remount,rw", disk.path)
        check("writable again: it goes on", len(said(write(folder, "c", "turn", 8), "ACK")) == 8)


sizes = range(16, 1025, 16) if SOAK else (32, 64, 100, 256)
total = sum(fill(size) for size in sizes)
read_only()
print(f"T11: {len(sizes)} sizes, {total} acknowledged; T13: a read-only disk; {len(failures)} failures")
sys.exit(1 if failures else 0)
