# SPDX-License-Identifier: MIT
"""Directories that ai-panel and claw0 made, changed with our program; index and transcripts are read back by readers that
share nothing with it."""
import json
import re
import unittest

from readers import lines_of, read_claw_index, read_flat, read_panel, read_panel_index, words
from support import FormatTest

PANEL = "ses-1708300000000"
PANEL_ROW = {"id": PANEL, "agentId": "python-reviewer", "filePath": f"{PANEL}.jsonl", "title": "分析 payment.py 的并发问题",
             "messageCount": 2, "createdAt": 1708300000000, "lastAt": 1708300002000, "tokenEstimate": 45000}
OTHER_ROW = dict(PANEL_ROW, id="ses-2", filePath="ses-2.jsonl", title="other")
PANEL_FILE = [
    '{"type":"session","version":3,"agentId":"python-reviewer","createdAt":1708300000000}',
    '{"type":"message","message":{"role":"user","content":"你好"},"timestamp":1708300001000}',
    '{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"我是..."}]},"timestamp":1708300002000}',
]
CLAW = "0123456789ab"
CLAW_FILE = [
    '{"type": "session", "id": "0123456789ab", "key": "main:cli:user", "created": "2026-02-24T10:00:00.123456+00:00"}',
    '{"type": "user", "content": "你好", "ts": "2026-02-24T10:00:01.000000+00:00"}',
    '{"type": "assistant", "content": "hi", "ts": "2026-02-24T10:00:01.000000+00:00"}',
]
CLAW_ROW = {"session_key": "main:cli:user", "session_id": CLAW, "created_at": "2026-02-24T10:00:00.123456+00:00",
            "updated_at": "2026-02-24T10:00:01.000000+00:00", "message_count": 1,
            "transcript_file": f"main_cli_user_{CLAW}.jsonl"}


class Stores(FormatTest):
    def panel(self):
        index = {"sessions": {PANEL: PANEL_ROW, "ses-2": OTHER_ROW}}
        return self.store_of({"sessions.json": json.dumps(index, ensure_ascii=False, indent=2),
                              f"{PANEL}.jsonl": PANEL_FILE, "ses-2.jsonl": PANEL_FILE})

    def claw(self):
        return self.store_of({"sessions.json": json.dumps({"main:cli:user": CLAW_ROW}, ensure_ascii=False, indent=2),
                              f"transcripts/main_cli_user_{CLAW}.jsonl": CLAW_FILE})

    def on(self, root, *args, **how):
        return self.run_cli(*args, "--store", root, **how)

    def say_on(self, root, session, role, words_):
        return self.on(root, "append", session, "--role", role, "--text", "-", text=words_).strip()

    def test_a_session_of_ai_panels_continues_and_its_index_follows(self):
        root = self.panel()
        self.say_on(root, PANEL, "user", "weiter?")
        self.say_on(root, PANEL, "assistant", "ja")
        rows = read_panel_index(root)
        self.assertEqual(rows["ses-2"], OTHER_ROW)
        self.assertEqual((rows[PANEL]["messageCount"], rows[PANEL]["title"]), (4, PANEL_ROW["title"]))
        header, _, said = read_panel(root / f"{PANEL}.jsonl")
        self.assertEqual(header["agentId"], "python-reviewer")
        self.assertEqual(words(said)[-2:], [("user", ("text", "weiter?")), ("assistant", ("text", "ja"))])
        self.assertEqual(rows[PANEL]["lastAt"], list(lines_of(root / f"{PANEL}.jsonl"))[-1]["timestamp"])

    def test_a_session_of_claw0s_continues_and_its_index_follows(self):
        root = self.claw()
        for role, said in (("user", "weiter?"), ("assistant", "ja")):
            self.say_on(root, "key:main:cli:user", role, said)
        row = read_claw_index(root)["main:cli:user"]
        self.assertEqual((row["message_count"], row["session_id"]), (2, CLAW))  # it counts turns
        self.assertGreater(row["updated_at"], CLAW_ROW["updated_at"])
        _, said = read_flat(root / "transcripts" / row["transcript_file"])
        self.assertEqual(words(said)[-2:], [("user", ("text", "weiter?")), ("assistant", ("text", "ja"))])

    def test_new_sessions_have_the_names_and_rows_their_program_gives(self):
        root = self.panel()
        session = self.on(root, "new", "--agent", "main", "--title", "Plan").strip()
        self.assertRegex(session, r"\Ases-\d{13}\Z")
        self.say_on(root, session, "user", "hello")
        row = read_panel_index(root)[session]
        self.assertEqual((row["title"], row["messageCount"], row["agentId"]), ("Plan", 1, "main"))
        header, _, said = read_panel(root / row["filePath"])
        self.assertEqual((header["agentId"], header["createdAt"], said), ("main", row["createdAt"],
                                                                         [("user", [("text", "hello")])]))
        root = self.folder / "fresh"
        session = self.on(root, "new", "--profile", "claw0", "--key", "main:telegram:42").strip()
        self.assertRegex(session, r"\A[0-9a-f]{12}\Z")
        self.say_on(root, session, "user", "hello")
        row = read_claw_index(root)["main:telegram:42"]
        self.assertEqual((row["session_id"], row["message_count"]), (session, 1))
        header, said = read_flat(root / "transcripts" / row["transcript_file"])
        self.assertEqual((header["id"], header["key"], said), (session, "main:telegram:42", [("user", [("text", "hello")])]))
        again = self.on(root, "new").strip()  # without a profile and without a key
        self.assertEqual(read_claw_index(root)["main:cli:user"]["session_id"], again)

    def test_a_fork_in_claw0s_directory_has_a_row_that_makes_sense(self):
        root = self.claw()
        copy = self.on(root, "fork", CLAW).strip()
        row = read_claw_index(root)[f"main:cli:user_{copy}"]
        self.assertGreaterEqual(row["updated_at"], row["created_at"])
        self.assertGreater(row["created_at"], CLAW_ROW["updated_at"])
        self.assertEqual((row["message_count"], row["transcript_file"]), (1, f"main_cli_user_{copy}.jsonl"))
        self.assertTrue((root / "transcripts" / row["transcript_file"]).is_file())
        before = (root / "sessions.json").read_bytes()
        self.assertEqual(self.on(root, "show", copy), self.on(root, "show", CLAW))
        self.assertEqual({line.split("\t")[0] for line in self.on(root, "ls").splitlines()}, {CLAW, copy})
        self.assertEqual((root / "sessions.json").read_bytes(), before)
        (root / "sessions.json").unlink()
        self.on(root, "reindex")
        again = read_claw_index(root)[f"main:cli:user_{copy}"]
        for member in ("session_id", "created_at", "updated_at", "message_count", "transcript_file"):
            self.assertEqual(again[member], row[member], member)

    def test_both_are_listed_shown_verified_and_removed(self):
        for root, session, title, transcript in (
                (self.panel(), PANEL, PANEL_ROW["title"], f"{PANEL}.jsonl"),
                (self.claw(), CLAW, "你好", f"transcripts/main_cli_user_{CLAW}.jsonl")):
            with self.subTest(session):
                before = (root / "sessions.json").read_bytes()
                rows = json.loads(self.on(root, "ls", "--json"))["sessions"]
                row = next(row for row in rows if row["id"] == session)
                self.assertEqual((row["title"], row["messages"]), (title, 2))
                self.assertIn("user> 你好", self.on(root, "show", session[:6] if session == CLAW else session))
                self.on(root, "verify")
                self.assertEqual((root / "sessions.json").read_bytes(), before)  # looking changes nothing
                (root / transcript).write_bytes((root / transcript).read_bytes() + b'{"torn":')
                found = self.on(root, "verify", "--json", code=5)
                self.assertEqual([f["file"] for f in json.loads(found)["findings"]], [str(root / transcript)])
                found = self.on(root, "verify", session, "--json", code=5)
                self.assertEqual(len(json.loads(found)["findings"]), 1)
                self.on(root, "rm", session, "--yes")
                self.assertTrue((root / "trash" / transcript.rpartition("/")[2]).is_file())
                self.assertNotIn(session, (root / "sessions.json").read_text())
                self.on(root, "show", session, code=3)

    def test_a_lost_or_broken_index_is_rebuilt(self):
        for make, read in ((self.panel, read_panel_index), (self.claw, read_claw_index)):
            for broken in (None, "", "{", "[]", '{"sessions":{"x":'):
                with self.subTest(make.__name__, broken=broken):
                    root = make()
                    expected = set(read(root))
                    (root / "sessions.json").unlink()
                    if broken is not None:
                        (root / "sessions.json").write_text(broken)
                    self.on(root, "reindex")
                    self.assertEqual(set(read(root)), expected)
                    if broken:
                        aside = [p.read_text() for p in root.glob("sessions.json.unreadable-*")]
                        self.assertIn(broken, aside)

    def test_a_conversion_names_formats_by_their_programs_too(self):
        root = self.claw()
        for profile, suffix in (("ai_panel", "panel.jsonl"), ("zyhive", "panel.jsonl"), ("blades", "blades.json"),
                                ("native", "native.jsonl")):
            out = self.on(root, "convert", CLAW, "--profile", profile, "-o", self.folder / f"{profile}.{suffix}").strip()
            self.assertTrue(out.endswith(suffix))
        self.assertEqual(words(read_panel(self.folder / "ai_panel.panel.jsonl")[2]),
                         words(read_flat(root / "transcripts" / CLAW_ROW["transcript_file"])[1]))
        self.on(root, "convert", CLAW, code=2)
        self.on(root, "convert", CLAW, "--to", "flat", "--profile", "claw0", code=2)

    def test_profiles_that_do_not_fit_are_refused_with_their_names(self):
        for args in (("new", "--profile", "nobody"), ("history", "@last", "--profile", "nobody"),
                     ("convert", "@last", "--profile", "nobody")):
            message = self.refusal(self.panel(), *args)
            for name in ("native", "ai_panel", "zyhive", "claw0", "zeroclaw", "blades", "ephemeral"):
                self.assertIn(name, message)
        self.assertIn("memory", self.refusal(self.panel(), "new", "--profile", "ephemeral"))
        root = self.panel()
        before = sorted(p.name for p in root.iterdir())
        self.refusal(root, "new", "--profile", "claw0")  # another layout
        self.assertEqual(sorted(p.name for p in root.iterdir()), before)

    def refusal(self, root, *args):
        self.on(root, *args, code=2)
        return self.errors

    def test_titles_are_lines_the_other_programs_pass_over(self):
        root = self.folder / "titled"
        session = self.on(root, "new", "--profile", "claw0", "--title", "Plan").strip()
        self.say_on(root, session, "user", "hello")
        path = root / "transcripts" / f"main_cli_user_{session}.jsonl"
        self.assertEqual(read_flat(path)[1], [("user", [("text", "hello")])])
        self.assertEqual([e["name"] for e in lines_of(path) if e["type"] == "session_info"], ["Plan"])
        self.assertRegex(self.on(root, "ls"), re.escape(session) + r".*Plan")


if __name__ == "__main__":
    unittest.main()
