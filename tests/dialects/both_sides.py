# SPDX-License-Identifier: MIT
"""Two programs in one store: 200 random actions of ours and of theirs. After each one both read every session, and both
must see what was said. Theirs is code of their documents."""
import json
import random

from readers import blocks_of
from support import FormatTest

ACTIONS = 200
TEXTS = ["hello", "你好, 世界 🦀", 'two\nlines "quoted" \\ back', "it's; -- 'a'", "x" * 3000, "\u007f\u00a0\u3000."]


class Both(FormatTest):
    """One store, changed by both sides. `said` maps each session to its (role, block) list."""
    NAMED_BY = ""  # what our programs expect before the name of a session

    def begin(self, seed):
        self.random = random.Random(seed)
        self.number = 0
        self.said, self.summaries = {}, {}
        self.counted = {}

    def text(self):
        self.number += 1
        return f"message {self.number}: {self.random.choice(TEXTS)}"

    def summary(self, whose):
        """Shorter than what it replaces."""
        self.number += 1
        return f"{whose} {self.number}"

    def ours(self, *args, **how):
        return self.run_cli(*args, "--store", self.store, **how)

    def append(self, session, role, text):
        self.ours("append", self.NAMED_BY + session, "--role", role, "--text", "-", text=text)
        self.said[session].append((role, ("text", text)))

    def we_append(self, session=None):
        session = session or self.some()
        for role in ("user", "assistant"):
            self.append(session, role, self.text())

    def play(self, seed, actions):
        self.begin(seed)
        actions[0]()  # something to act on
        for i in range(ACTIONS):
            action = self.random.choice(actions)
            action()
            self.counted[action.__name__] = self.counted.get(action.__name__, 0) + 1
            with self.subTest(seed=seed, step=i, action=action.__name__):
                self.check()
        self.assertEqual(len(self.counted), len(set(actions)), "every action was played")
        print(f"{type(self).__name__} {self.store}: {ACTIONS} actions, {sum(map(len, self.said.values()))} blocks in "
              f"{len(self.said)} sessions, {self.counted}")

    def read_by_us(self, session):
        request = json.loads(self.ours("history", session, "--provider", "anthropic"))
        said = [(m["role"], block) for m in request["messages"] for block in blocks_of(m["content"])]
        return request["system"], said

    def some(self):
        return self.random.choice(sorted(self.said))
