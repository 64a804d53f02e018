# SPDX-License-Identifier: MIT
"""The minimum for a Python program that keeps its sessions as JSON lines: the same commands as pi.mjs."""
import datetime
import json
import os
import sys
import time


def load(name):
    with open(name, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def messages_of(entries):
    by_id = {entry["id"]: entry for entry in entries}
    kept, first, entry = [], None, entries[-1]
    while entry:
        kept.append(entry)
        if entry["type"] == "compaction" and first is None:
            first = entry["firstKeptEntryId"]
        if entry["id"] == first:
            break
        entry = by_id.get(entry.get("parentId"))
    return [entry["message"] for entry in kept[::-1] if entry["type"] == "message"]


def append(target, count, text):
    parent = None
    for number in range(count):
        entry = {"type": "message", "id": f"{number:08x}", "parentId": parent,
                 "timestamp": datetime.datetime.now(datetime.timezone.utc).isoformat(),
                 "message": {"role": "user", "content": [{"type": "text", "text": text}]}}
        with open(os.path.join(target, "plain-python.jsonl"), "a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        parent = entry["id"]
    return count


def list_sessions(target):
    sessions = []
    for name in os.listdir(target):
        if name.endswith(".jsonl"):
            entries = load(os.path.join(target, name))
            sessions.append((entries[-1]["timestamp"], entries[0]["id"], len(entries) - 1))
    sessions.sort(reverse=True)
    return len(sessions)


def peak_kib():
    """What the kernel counted for this program; `getrusage` would also count its parent's memory."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


operation, target = sys.argv[1:3]
text = sys.stdin.read()
begin = time.perf_counter()
if operation == "history":
    done = len(json.dumps(messages_of(load(target)), ensure_ascii=False))
elif operation == "next":
    messages = messages_of(load(target))
    messages.append({"role": "user", "content": [{"type": "text", "text": text}]})
    begin = time.perf_counter()
    done = len(json.dumps(messages, ensure_ascii=False))
elif operation == "list":
    done = list_sessions(target)
else:
    done = append(target, int(sys.argv[3]), text)
ms = (time.perf_counter() - begin) * 1000
print(json.dumps({"ms": ms, "count": done, "peak_kib": peak_kib()}))
