# SPDX-License-Identifier: MIT
"""ai-panel or ZyHive and we in one store: the lines and the index of their documents."""
import json
import time
import unittest

from both_sides import Both
from readers import read_panel, read_panel_index, words


class Panel(Both):
    """ai-panel and ZyHive, whose files have one form."""

    def setUp(self):
        super().setUp()
        self.store = self.folder / "panel"

    def they_write(self, session, *entries):
        """AppendMessage and UpdateMeta of the document: lines, then the index as a whole."""
        with open(self.store / f"{session}.jsonl", "a", encoding="utf-8") as file:
            for entry in entries:
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        index = json.loads((self.store / "sessions.json").read_text(encoding="utf-8"))
        row = index["sessions"][session]
        row["messageCount"] += sum(entry["type"] == "message" for entry in entries)
        row["lastAt"] = entries[-1]["timestamp"]
        self.save(index)

    def save(self, index):
        draft = self.store / "sessions.json.tmp"
        draft.write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")
        draft.rename(self.store / "sessions.json")

    @staticmethod
    def now():
        return int(time.time() * 1000)

    def message(self, session, role, text):
        self.said[session].append((role, ("text", text)))
        content = text if self.random.random() < 0.5 else [{"type": "text", "text": text}]
        return {"type": "message", "message": {"role": role, "content": content}, "timestamp": self.now()}

    def we_create(self):
        session = self.ours("new", "--agent", "main", "--profile", self.profile).strip()
        self.said[session] = []
        self.we_append(session)

    def they_create(self):
        session = f"ses-{self.now() + 10**6 + self.number}"
        header = {"type": "session", "version": 3, "agentId": "main", "createdAt": self.now()}
        (self.store / f"{session}.jsonl").write_text(json.dumps(header) + "\n", encoding="utf-8")
        index = json.loads((self.store / "sessions.json").read_text(encoding="utf-8"))
        index["sessions"][session] = {"id": session, "agentId": "main", "filePath": f"{session}.jsonl", "title": "theirs",
                                      "messageCount": 0, "createdAt": header["createdAt"], "lastAt": header["createdAt"],
                                      "tokenEstimate": 0}
        self.save(index)
        self.said[session] = []
        self.they_append(session)

    def they_append(self, session=None):
        session = session or self.some()
        self.they_write(session, *[self.message(session, role, self.text()) for role in ("user", "assistant")])

    def they_compact(self):
        session = self.some()
        self.summaries[session], self.said[session] = self.summary("theirs"), []
        self.they_write(session, {"type": "compaction", "summary": self.summaries[session], "firstKeptEntryId": "msg-11",
                                  "tokensBefore": 80000, "tokensAfter": 5000, "timestamp": self.now()})
        self.they_append(session)

    def we_compact(self):
        session = self.some()
        if len(self.said[session]) <= 4:
            return self.we_append(session)
        summary = self.summary("ours")
        self.ours("compact", session, "--keep-turns", "2", "--summary", "-", text=summary)
        self.summaries[session], self.said[session] = summary, self.said[session][-4:]
        return None

    def we_rename(self):
        session, title = self.some(), f"title {self.number} \u4f60 \"quoted\" \\"
        self.ours("rename", session, title)
        self.assertEqual(read_panel_index(self.store)[session]["title"], title)

    def we_remove(self):
        if len(self.said) < 3:
            return self.we_create()
        session = self.some()
        self.ours("rm", session, "--yes")
        self.summaries.pop(session, None)
        return self.said.pop(session) and None

    def check(self):
        rows = read_panel_index(self.store)
        self.assertEqual(set(rows), set(self.said))
        for session, said in self.said.items():
            _, summary, read = read_panel(self.store / f"{session}.jsonl")
            self.assertEqual((summary.strip(), words(read)), (self.summaries.get(session, "").strip(), said))
        for session in self.random.sample(sorted(self.said), min(2, len(self.said))):
            system, said = self.read_by_us(session)
            self.assertEqual(said, self.said[session])
            self.assertIn(self.summaries.get(session, "").strip(), system or "")
        self.assertEqual(self.ours("verify").strip(), "")

    def test_200_actions_of_ai_panel_and_of_zyhive(self):
        for seed, self.profile in enumerate(("ai_panel", "zyhive")):
            self.store = self.folder / self.profile
            self.play(seed, [self.we_create, self.they_create, self.we_append, self.they_append, self.we_append, self.they_append,
                             self.they_compact, self.we_compact, self.we_rename, self.we_remove])


if __name__ == "__main__":
    unittest.main()
