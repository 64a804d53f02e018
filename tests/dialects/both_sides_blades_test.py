# SPDX-License-Identifier: MIT
"""blades and we in one store: the Go functions with which it saves a session."""
import json
import shutil
import subprocess
import unittest
import uuid

from both_sides import Both
from support import DATA, ENVIRONMENT


class Blades(Both):
    """Theirs loads, changes and saves a whole session. It keeps texts and state, so what it saved has no calls."""

    def setUp(self):
        super().setUp()
        self.assertTrue(shutil.which("go"), "Go is missing: run scripts/install-deps test")
        source = self.folder / "oracle"
        shutil.copytree(DATA / "seeds" / "blades", source)
        program = self.folder / "blades"
        subprocess.run(["go", "build", "-o", program, "."], cwd=source, check=True, timeout=300,
                       env=dict(ENVIRONMENT, HOME=str(self.folder), GOFLAGS="-mod=mod", GOTOOLCHAIN="local", GOPROXY="off"))
        self.documents = self.folder / "sessions"
        self.documents.mkdir()
        self.store = f"blades:{self.documents}"
        self.program = subprocess.Popen([program, self.documents], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.program.wait)
        self.addCleanup(self.program.stdout.close)
        self.addCleanup(self.program.stdin.close)
        self.states = {}

    def theirs(self, *command):
        self.program.stdin.write(json.dumps(command).encode() + b"\n")
        self.program.stdin.flush()
        return json.loads(self.program.stdout.readline())

    def new_id(self):
        return f"s{len(self.said)}-{uuid.UUID(int=self.random.getrandbits(128)).hex[:8]}"

    def begun(self, session):
        self.said[session], self.states[session] = [], {}
        return session

    def they_create(self):
        session = self.begun(self.new_id())
        self.theirs("create", session)
        self.they_append(session)

    def we_create(self):
        session = self.begun(self.new_id())
        self.ours("new", "--id", session)
        self.we_append(session)

    def they_append(self, session=None):
        session = session or self.some()
        for role in ("user", "assistant"):
            text = self.text()
            self.theirs("append", session, role, text)
            self.said[session].append((role, ("text", text)))

    def value(self):
        self.number += 1
        return self.random.choice([self.number, f"value {self.number} \u4f60", [1, {"a": None}], {"n": 0.5}, True])

    def we_set(self):
        session, name, value = self.some(), f"k{self.random.randrange(3)}", self.value()
        self.ours("set", session, f"state.{name}={json.dumps(value)}")
        self.states[session][name] = value

    def we_unset(self):
        session = self.some()
        if not self.states[session]:
            return self.we_set()
        name = self.random.choice(sorted(self.states[session]))
        self.ours("set", session, "--unset", f"state.{name}")
        del self.states[session][name]
        return None

    def they_indent(self):
        path = self.documents / f"{self.some()}.json"
        path.write_text(json.dumps(json.loads(path.read_text()), indent=2, ensure_ascii=False))

    def they_set(self):
        session, name, value = self.some(), f"k{self.random.randrange(3)}", self.value()
        self.theirs("state", session, name, value)
        self.states[session][name] = value

    def remove(self, how):
        if len(self.said) < 3:
            return self.we_create()
        session = self.some()
        how(session)
        del self.said[session], self.states[session]
        return None

    def we_remove(self):
        self.remove(lambda session: self.ours("rm", session, "--yes"))

    def they_remove(self):
        self.remove(lambda session: (self.documents / f"{session}.json").unlink())

    def check(self):
        listed = {row["id"]: row for row in json.loads(self.ours("ls", "--json"))["sessions"]}
        self.assertEqual(set(listed), set(self.said))
        for session, said in self.said.items():
            shown = self.theirs("show", session)
            self.assertEqual((shown["id"], shown["state"]), (session, self.states[session]))
            self.assertEqual([(role, ("text", text)) for role, text in shown["history"]], said)
            self.assertEqual(listed[session]["messages"], len(said))
        for session in self.random.sample(sorted(self.said), min(2, len(self.said))):
            self.assertEqual(self.read_by_us(session)[1], self.said[session])
            state = json.loads(self.ours("info", session, "--json"))["state"]
            self.assertEqual(state, self.states[session])
        self.assertEqual(self.ours("verify").strip(), "")

    def test_200_actions_of_blades(self):
        self.play(5, [self.we_create, self.they_create, self.we_append, self.they_append, self.we_append, self.they_append,
                      self.we_set, self.they_set, self.we_unset, self.they_indent, self.we_remove, self.they_remove])


if __name__ == "__main__":
    unittest.main()
