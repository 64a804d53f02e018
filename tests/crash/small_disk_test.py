# SPDX-License-Identifier: MIT
"""T11: a full disk, and space again; T13: a disk that becomes read-only."""
import os
import sys

from mounts import SOAK, Content, Mounted, call, run, said, write

failures = []
refused_compactions = 0


def check(what, ok):
    if not ok:
        failures.append(what)
        print("FAILED:", what)


def compact_when_full(folder, name):
    """Whether it was refused; then the old state is kept, else the new one."""
    done = run("compact", folder)
    made, refusals = said(done, "ACK"), said(done, "ERR")
    content = Content(folder)
    check(f"{name}: a compaction on the full disk is stored or refused: {done}", len(made) + len(refusals) == 1)
    check(f"{name}: refused for want of space: {refusals}", set(refusals) <= {"no_space", "outcome_unknown"})
    check(f"{name}: the old state or the new one", content.ok and content.compactions == made)
    return len(refusals)


def fill(size):
    global refused_compactions
    with Mounted("tmpfs", f"size={size}k") as disk:
        folder = os.path.join(disk.path, "store")
        converses = size >= 64  # there is room for it
        ballast = os.path.join(disk.path, "ballast")
        with open(ballast, "wb") as out:
            out.write(b"x" * (16384 if converses else 8192))  # a compaction needs pages of its own
        chat = said(run("converse", folder), "ACK") if converses else []
        first = write(folder, "a", "entry", 5000)
        acked = said(first, "ACK") + chat
        refusals = said(first, "ERR")
        content = Content(folder)
        name = f"{size} KiB"
        check(f"{name}: what was acknowledged is read from the full disk", content.lost(acked) == 0)
        check(f"{name}: nothing is doubled", content.doubled() == 0)
        check(f"{name}: the disk was full: {refusals}", refusals and set(refusals) <= {"no_space", "outcome_unknown"})
        if converses:
            refused_compactions += compact_when_full(folder, name)
        os.unlink(ballast)
        if converses and not Content(folder).compactions:
            made = said(run("compact", folder), "ACK")
            check(f"{name}: with space again it compacts", len(made) == 1 and Content(folder).compactions == made)
        second = write(folder, "b", "entry", 20)
        acked += said(second, "ACK")
        check(f"{name}: with space again it continues: {said(second, 'ERR')}", len(said(second, "ACK")) > 0)
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
        check("read-only: nothing is left", sorted(os.listdir(folder)) == before)
        call("mount", "-o", "remount,rw", disk.path)
        check("writable again: it continues", len(said(write(folder, "c", "turn", 8), "ACK")) == 8)


sizes = range(16, 1025, 16) if SOAK else (32, 64, 100, 256)
total = sum(fill(size) for size in sizes)
read_only()
check("a full disk refuses a compaction", refused_compactions > 0)
print(f"T11: {len(sizes)} sizes, {total} acknowledged, {refused_compactions} compactions refused; T13: a read-only disk; {len(failures)} failures")
sys.exit(1 if failures else 0)
