# SPDX-License-Identifier: MIT
"""What the Python programs with a package share: OPERATION TARGET COUNT [SIZE], the text of a message on standard
input. Prints {"ms","count","peak_kib"}."""
import json
import sys
import time

SESSION = "6f1d2c3b-0000-4000-8000-000000000001"


def role(number):
    return "user" if number % 2 == 0 else "assistant"


def peak_kib():
    """What the kernel counted for this program; `getrusage` would also count its parent's memory."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def run(operations):
    """An operation returns the time at which it began to count, and what it counted."""
    words = sys.argv[1:]
    text = sys.stdin.read()
    begin, count = operations[words[0]](words[1], int(words[2]), int(words[3]) if len(words) > 3 else 0, text)
    ms = (time.perf_counter() - begin) * 1000
    print(json.dumps({"ms": ms, "count": count, "peak_kib": peak_kib()}))
