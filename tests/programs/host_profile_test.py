# SPDX-License-Identifier: MIT
"""Profiles on the chat server: their layouts and views, small windows, and directories that other programs made."""
import json
import pathlib
import shutil
import signal
import unittest

from host import FakeProvider, HostTest, needs_curl


class Profiles(HostTest):
    def test_each_session_in_claw0s_layout_has_a_key_of_its_own(self):
        host = self.host("--profile", "claw0", "--user", "ada=ada-secret")
        sessions = [host.chat(f"talk {i}", token="ada-secret")[1]["sessionId"] for i in range(3)]
        folder = self.store / "agents" / "main" / "sessions"
        index = json.loads((folder / "sessions.json").read_text())
        self.assertEqual(sorted(row["session_id"] for row in index.values()), sorted(sessions))
        for key in index:
            self.assertRegex(key, r"\Amain:web:ada:thread:")
        host.restart()
        self.assertEqual(host.chat("What did I say first?", sessions[1], token="ada-secret")[0], 'First you said: "talk 1"')

    def test_profiles_that_shorten_their_view_store_no_summary(self):
        for profile in ("blades", "claw0", "ephemeral"):
            with self.subTest(profile):
                self.store = self.folder / profile
                host = self.host("--profile", profile, "--window", "3000")
                session, cuts = None, 0
                for i in range(30):
                    events = list(host.begin(f"message {i} " + "x" * 1000, session).events())
                    self.assertEqual(events[-1]["end"], "finished", events)
                    session = events[-1]["sessionId"]
                    cuts += sum(event["type"] == "cut" for event in events)
                self.assertGreater(cuts, 10)
                entries = host.get(f"sessions/{session}")["entries"]
                self.assertEqual(sum(e["type"] == "compaction" for e in entries), 0)
                self.assertEqual(sum(e.get("role") == "user" for e in entries), 30)

    @needs_curl
    def test_a_window_smaller_than_was_said_is_learned_from_the_first_refusal(self):
        (self.folder / "system.txt").write_text("Be helpful. " * 700)  # half of the window
        for profile in ("native", "claw0", "blades", "ephemeral"):
            with self.subTest(profile):
                self.store = self.folder / f"small-{profile}"
                fake = FakeProvider(self, [{"summary": True, "text": "They counted."}], "--window", 4000)
                host = self.host_with(fake, "--profile", profile, "--window", "60000", "--system",
                                      self.folder / "system.txt")
                session, refused = None, []
                for i in range(40):
                    done = list(host.begin(f"message {i} " + "x" * 900, session).events())[-1]
                    self.assertEqual(done["end"], "finished")
                    session = done["sessionId"]
                    refused.append(len(fake.state["refused"]))
                self.assertGreater(refused[-1], 0)
                first = next(i for i, count in enumerate(refused) if count)
                self.assertLessEqual(refused[-1], refused[first] + 2, refused)

    @needs_curl
    def test_a_refused_paste_does_not_raise_the_window_that_was_named(self):
        fake = FakeProvider(self, [{"summary": True, "text": "They counted."}], "--window", 8000)
        host = self.host_with(fake, "--profile", "native", "--window", "8000")
        session = host.chat("Hello")[1]["sessionId"]
        before = host.get("sessions")["tokenLimit"]
        for i in range(12):
            host.chat(f"message {i} " + "x" * (24000 if i % 4 == 3 else 2000), session)
        self.assertTrue(fake.state["refused"])
        self.assertLessEqual(host.get("sessions")["tokenLimit"], before)

    def test_sessions_of_programs_that_name_no_agent_are_of_the_agent_of_their_directory(self):
        moving = pathlib.Path(__file__).resolve().parent.parent / "data/moving"
        for profile in ("claw0", "ai_panel", "native"):
            with self.subTest(profile):
                self.store = self.folder / profile
                folder = self.store / "agents" / "main" / "sessions"
                if profile == "claw0":
                    shutil.copytree(moving / "claw0", folder)
                    session = "0123456789ab"
                else:
                    session = self.ok("new", "--store", folder, "--profile", profile).out.strip()
                    self.ok("append", session, "--store", folder, "--role", "user", "--text", "Hello")
                host = self.host("--profile", profile, "--user", "ada=a-token")
                rows = host.get("sessions")["sessions"]
                self.assertEqual([(row["id"], row["agentId"]) for row in rows], [(session, "main")])
                self.assertEqual(len(host.get("sessions?limit=1&search=")["sessions"]), 1)
                before = host.talk(session)
                self.assertEqual(host.ask("PATCH", f"sessions/{session}", {"title": "Mine"}).json()["agentId"], "main")
                self.assertEqual(host.chat("And on", session)[1]["title"], "Mine")
                self.assertEqual(host.talk(session)[:len(before)], before)
                self.assertEqual(host.get("sessions", token="a-token")["sessions"], [])
                self.refused(host.ask("GET", f"sessions/{session}", token="a-token"), 404)
                host.kill()
        folder = self.folder / "documents"
        folder.mkdir()
        shutil.copy(moving / "blades.json", folder)
        self.store = f"blades:{folder}"
        host = self.host()
        self.assertEqual(host.get("sessions")["sessions"][0]["id"], "blades")
        for change in ({"title": "X"}, {"archived": True}, {"title": "X", "state": {"a": 1}}):
            self.refused(host.ask("PATCH", "sessions/blades", change), 422)
        self.assertEqual(host.ask("PATCH", "sessions/blades", {"state": {"a": 1}}).status, 200)
        host.kill()
        host = self.host("--agent", "main", "--agent", "other")  # whose is it?
        self.assertEqual(host.get("sessions")["sessions"], [])

    def test_the_sessions_of_openclaw_are_listed_and_its_index_stays(self):
        folder = self.store / "agents" / "main" / "sessions"
        shutil.copytree(pathlib.Path(__file__).resolve().parent.parent / "data/moving/openclaw", folder)
        index = (folder / "sessions.json").read_bytes()
        host = self.host("--provider", "scripted")
        rows = host.get("sessions")["sessions"]
        self.assertEqual([row["id"] for row in rows], ["simple_chat"])
        self.assertGreater(len(host.get("sessions/simple_chat")["entries"]), 1)
        host.kill(signal.SIGTERM)
        self.assertEqual((folder / "sessions.json").read_bytes(), index)
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["sessions.json", "simple_chat.jsonl"])


if __name__ == "__main__":
    unittest.main()
