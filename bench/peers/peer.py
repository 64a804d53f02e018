# SPDX-License-Identifier: MIT
"""What the Python programs with a package share: OPERATION TARGET COUNT [SIZE], the text of a message on standard input.
Prints {"ms","count","peak_kib"}."""
import json
import resource
import sys
import time

SESSION = "6f1d2c3b-0000-4000-8000-000000000001"


def role(number):
    return "user" if number % 2 == 0 else "assistant"


def run(operations):
    """An operation returns the time at which it began to count, and what it counted."""
    words = sys.argv[1:]
    text = sys.stdin.read()
    begin, count = operations[words[0]](words[1], int(words[2]), int(words[3]) if len(words) > 3 else 0, text)
    ms = (time.perf_counter() - begin) * 1000
    print(json.dumps({"ms": ms, "count": count, "peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
