# SPDX-License-Identifier: MIT
"""claw0 and we in one store: its SessionStore, as its document prints it."""
import sys
import unittest

from both_sides import Both
from readers import blocks_of, words
from support import DATA

sys.path.insert(0, str(DATA / "seeds"))
from claw0_session_store import SessionStore  # noqa: E402


class Claw0(Both):
    """Sessions are known by their keys."""
    NAMED_BY = "key:"

    def setUp(self):
        super().setUp()
        self.store = self.folder / "claw"

    def theirs(self):
        return SessionStore(self.store / "sessions.json", self.store / "transcripts")

    def new_key(self):
        return f"main:{self.random.choice(['cli', 'telegram', 'web'])}:{len(self.counted) + self.number}-{self.random.randrange(10**6)}"

    def they_create(self):
        key = self.new_key()
        self.theirs().create_session(key)
        self.said[key] = []
        self.they_save(key)

    def we_create(self):
        key = self.new_key()
        self.ours("new", "--key", key, "--profile", "claw0")
        self.said[key] = []
        self.we_append(key)

    def they_save(self, key=None):
        key, ask = key or self.some(), self.text()
        blocks, said = [], [("user", ("text", ask))]
        for i in range(self.random.randrange(3)):
            call = f"tu_{self.number}_{i}"
            result = self.text()
            blocks += [{"type": "tool_use", "id": call, "name": "read_file", "input": {"path": result[:9]}},
                       {"type": "tool_result", "tool_use_id": call, "content": result}]
            said += [("assistant", ("call", call, "read_file", {"path": result[:9]})), ("user", ("result", call, result))]
        answer = self.text()
        self.theirs().save_turn(key, ask, [*blocks, {"type": "text", "text": answer}])
        self.said[key] += [*said, ("assistant", ("text", answer))]

    def we_remove(self):
        if len(self.said) < 3:
            return self.we_create()
        key = self.some()
        self.ours("rm", "key:" + key, "--yes")
        return self.said.pop(key) and None

    def they_remove(self):
        """claw0's `/delete`."""
        if len(self.said) < 3:
            return self.they_create()
        key, store = self.some(), self.theirs()
        row = store._index.pop(key)
        store._save_index()
        (store.transcript_dir / row["transcript_file"]).unlink()
        return self.said.pop(key) and None

    def check(self):
        store = self.theirs()
        self.assertEqual(set(store._index), set(self.said))
        for key, said in self.said.items():
            messages = store._rebuild_history(store._index[key]["transcript_file"])
            self.assertEqual(words([(m["role"], blocks_of(m["content"])) for m in messages]), said)
            self.assertEqual(store._index[key]["message_count"], sum(b == ("user", "text") for b in ((r, b[0]) for r, b in said)))
        for key in self.random.sample(sorted(self.said), min(2, len(self.said))):
            self.assertEqual(self.read_by_us("key:" + key)[1], self.said[key])
        self.assertEqual(self.ours("verify").strip(), "")

    def test_200_actions(self):
        self.play(4, [self.we_create, self.they_create, self.they_save, self.they_save, self.we_append, self.we_append,
                      self.we_remove, self.they_remove])


if __name__ == "__main__":
    unittest.main()
