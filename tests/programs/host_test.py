# SPDX-License-Identifier: MIT
"""The chat server: the routes of ai-panel and ZyHive, seed after seed."""
import base64
import json
import unittest

from host import FakeProvider, HostTest, needs_curl


class Walk(HostTest):
    @needs_curl
    def test_the_walk_of_the_panels(self):
        """Chat, restart, continue by the id alone, list, rename, delete."""
        for profile in ("ai_panel", "zyhive", "native"):
            with self.subTest(profile):
                self.store = self.folder / profile
                fake = FakeProvider(self)
                host = self.host_with(fake, "--profile", profile)
                said, done = host.chat("My name is Ada and this is a long message")
                self.assertIn("I remember 1 of your messages", said)
                session = done["sessionId"]
                self.assertGreater(done["tokenEstimate"], 0)
                if profile != "native":
                    self.assertRegex(session, r"\Ases-\d+\Z")
                host.chat("Another one")
                host.restart()
                said, _ = host.chat("What did I say first?", session)
                self.assertEqual(said, 'First you said: "My name is Ada and this is a long message"')

                rows = host.get("sessions")["sessions"]
                self.assertEqual([(row["id"] == session, row["title"], row["messageCount"]) for row in rows],
                                 [(True, "My name is Ada and this is a l", 4), (False, "Another one", 2)])
                self.assertLessEqual({"id", "agentId", "title", "messageCount", "createdAt", "lastAt", "tokenEstimate"},
                                     set(rows[0]))
                self.assertEqual([role for role, _ in host.talk(session)], ["user", "assistant"] * 2)

                renamed = host.ask("PATCH", f"sessions/{session}", {"title": "Über Ada"})
                self.assertEqual((renamed.status, renamed.json()["title"]), (200, "Über Ada"))
                host.restart()
                self.assertEqual(host.get("sessions")["sessions"][0]["title"], "Über Ada")
                self.assertEqual(host.ask("DELETE", f"sessions/{session}").status, 204)
                self.refused(host.ask("GET", f"sessions/{session}"), 404)
                self.refused(host.ask("DELETE", f"sessions/{session}"), 404)
                self.refused(host.begin("Anybody?", session), 404)
                self.assertEqual(len(host.get("sessions")["sessions"]), 1)
                self.assertEqual(fake.state["refused"], [])
                folder = self.store / "agents" / "main" / "sessions"
                self.ok("verify", "--store", folder)
                if profile != "native":
                    (row,) = json.loads((folder / "sessions.json").read_text())["sessions"].values()
                    self.assertEqual(row["filePath"], row["id"] + ".jsonl")
                host.kill()

    @needs_curl
    def test_80000_tokens_are_compacted_and_the_next_load_has_the_summary(self):
        fake = FakeProvider(self, [{"summary": True, "text": "They counted herons."},
                                    *[{"when": "Heron", "text": "I see."}] * 30])
        host = self.host_with(fake, "--profile", "ai_panel")
        session, outcomes = None, []
        for i in range(30):
            answer = host.begin(f"Heron {i}. {'feather ' * 1800}", session)
            events = list(answer.events())
            session = events[-1]["sessionId"]
            outcomes += [event["outcome"] for event in events if event["type"] == "compaction"]
            if outcomes:
                break
        self.assertEqual(outcomes, ["applied"])
        self.assertGreaterEqual(i, 20)
        estimate = events[-1]["tokenEstimate"]
        self.assertLess(estimate, 80000)
        self.assertEqual(host.get("sessions")["sessions"][0]["tokenEstimate"], estimate)
        host.restart()
        host.chat("And on", session)
        request = fake.requests[-1]
        self.assertIn("They counted herons.", json.dumps(request["system"]))
        self.assertNotIn("Heron 0.", json.dumps(request))
        self.assertIn(f"Heron {i}.", json.dumps(request))
        entries = host.get(f"sessions/{session}")["entries"]
        self.assertEqual([e["summary"] for e in entries if e["type"] == "compaction"], ["They counted herons."])
        self.assertEqual(sum(e.get("role") == "user" for e in entries), i + 2)  # nothing is lost, nothing is stored twice
        self.assertEqual(fake.state["refused"], [])

    @needs_curl
    def test_context_and_images_reach_the_model_and_context_is_not_kept(self):
        fake = FakeProvider(self)
        host = self.host_with(fake)
        png = "data:image/png;base64," + base64.b64encode(b"\x89PNG not quite").decode()
        _, done = host.chat("What is this?", context="The person looks at page 7.", images=[png])
        host.chat("And now?", done["sessionId"])
        first, second = fake.requests
        self.assertIn("page 7", json.dumps(first["system"]))
        self.assertNotIn("page 7", json.dumps(second))
        for request in (first, second):
            (image,) = (part for part in request["messages"][0]["content"] if part["type"] == "image")
            self.assertEqual(image["source"]["media_type"], "image/png")
        parts = host.get(f"sessions/{done['sessionId']}")["entries"][0]["content"]
        self.assertEqual([part["type"] for part in parts], ["image", "text"])
        self.assertEqual(parts[0]["url"], png)

    def test_titles_by_the_model(self):
        host = self.host("--make-titles", *self.scripted({"when": "Name this conversation", "text": "Of herons\nand more"}))
        _, done = host.chat("Tell me of herons and other birds that stand in water")
        self.assertEqual(done["title"], "Of herons")
        host.ask("PATCH", f"sessions/{done['sessionId']}", {"title": "Mine"}).text()
        for i in range(6):
            _, done = host.chat(f"{i}", done["sessionId"])
        self.assertEqual(done["title"], "Mine")

    def test_tool_calls_are_reported_and_kept(self):
        (self.folder / "files").mkdir()
        (self.folder / "files" / "a.txt").write_text("<b>from a</b>")
        host = self.host("--folder", self.folder / "files")
        events = list(host.begin("What is in a.txt?").events())
        kinds = [event["type"] for event in events if event["type"] != "text_delta"]
        self.assertEqual(kinds, ["session", "tool_call", "tool_result", "done"])
        call = next(event["tool_call"] for event in events if event["type"] == "tool_call")
        self.assertEqual((call["name"], call["input"]), ("read_file", {"path": "a.txt"}))
        result = next(event for event in events if event["type"] == "tool_result")
        self.assertEqual((result["text"], result["isError"], result["id"]), ("<b>from a</b>", False, call["id"]))
        entries = host.get(f"sessions/{events[-1]['sessionId']}")["entries"]
        self.assertEqual([entry["role"] for entry in entries], ["user", "assistant", "tool", "assistant"])

    def test_a_failure_is_reported_and_the_next_turn_works(self):
        host = self.host(*self.scripted({"when": "fail", "error": {"kind": "refused", "message": "no such model"}}))
        events = list(host.begin("fail").events())
        self.assertEqual([event["type"] for event in events], ["session", "error", "done"])
        self.assertEqual((events[1]["error"], events[2]["end"]), ("the model's provider refused the request", "failed"))
        said, _ = host.chat("on", events[-1]["sessionId"])
        self.assertIn("on", said)

    def test_other_engines_keep_it_too(self):
        self.store = f"sqlite:{self.folder / 'talks.db'}"
        try:
            host = self.host("--agent", "one", "--agent", "two")
        except AssertionError as error:
            if "built without" in str(error):
                self.skipTest("built without SQLite")
            raise
        _, done = host.chat("hello", agent="one")
        host.restart()
        self.assertEqual(len(host.get("sessions", agent="one")["sessions"]), 1)
        self.assertEqual(host.get("sessions", agent="two")["sessions"], [])
        self.refused(host.ask("GET", f"sessions/{done['sessionId']}", agent="two"), 404)
        self.assertIn("hello", host.chat("first?", done["sessionId"], agent="one")[0])


if __name__ == "__main__":
    unittest.main()
