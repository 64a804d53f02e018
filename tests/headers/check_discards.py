# SPDX-License-Identifier: MIT
"""Calls whose result a program must use do not compile without a warning, and the same calls with a use do."""
import argparse
import pathlib
import subprocess
import sys

PROGRAM = """#include <sessionkit/sessionkit.hpp>
namespace sk = sessionkit;
sk::Turn open_turn(sk::Session& session) {{ return session.begin_turn(); }}
void run(sk::Session& session) {{ {statement} }}
"""
DISCARDED = ["session.begin_turn();", "open_turn(session);", 'session.append(sk::user("hello"));', "session.end_turn();",
             "session.begin_turn().commit();"]
USED = ["auto const turn = session.begin_turn();", "auto const turn = open_turn(session);",
        'session.append(sk::user("hello")).value();', "static_cast<void>(session.end_turn());"]


def compiles(compiler, root, statement):
    command = [compiler, "-std=c++17", "-fsyntax-only", "-Werror=unused-result", "-Iinclude", "-xc++", "-"]
    text = PROGRAM.format(statement=statement)
    return subprocess.run(command, input=text, text=True, cwd=root, stderr=subprocess.PIPE)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="c++")
    arguments = parser.parse_args()
    broken = 0
    for statement in DISCARDED + USED:
        done = compiles(arguments.compiler, arguments.root, statement)
        expected = statement in USED
        if (done.returncode == 0) != expected or (not expected and "unused-result" not in done.stderr):
            print(f"broken: {statement} {'does not compile' if expected else 'compiles'}\n{done.stderr}")
            broken += 1
    print(f"{len(DISCARDED)} discarded results are refused, {len(USED)} used ones compile")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
