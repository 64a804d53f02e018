# SPDX-License-Identifier: MIT
"""The rows of sessions on the chat server: titles, marks and state that a client changes, and lists of them."""
import json
import signal
import unittest

from host import HostTest


class Rows(HostTest):
    def test_a_change_of_a_row_is_in_the_shared_index_before_it_is_answered(self):
        for profile, titles in (("ai_panel", "title"), ("native", "title")):
            with self.subTest(profile):
                self.store = self.folder / profile
                host = self.host("--profile", profile)
                session = host.chat("Hello")[1]["sessionId"]
                self.assertEqual(host.ask("PATCH", f"sessions/{session}", {"title": "New name"}).json()["title"], "New name")
                host.kill(signal.SIGKILL)
                folder = self.store / "agents" / "main" / "sessions"
                if profile == "ai_panel":
                    rows = json.loads((folder / "sessions.json").read_text())["sessions"]
                    self.assertEqual(rows[session]["title"], "New name")
                host.start()
                self.assertEqual(host.get("sessions")["sessions"][0]["title"], "New name")

    def test_a_row_is_archived_and_gets_state(self):
        host = self.host()
        session = host.chat("Hello")[1]["sessionId"]
        row = host.ask("PATCH", f"sessions/{session}", {"archived": True, "state": {"mood": "good", "n": 1.0}}).json()
        self.assertTrue(row["archived"])
        host.kill(signal.SIGKILL)
        host.start()
        self.assertEqual(host.get("sessions?archived=false")["sessions"], [])
        self.assertEqual([row["id"] for row in host.get("sessions?archived=true")["sessions"]], [session])
        self.assertFalse(host.ask("PATCH", f"sessions/{session}", {"archived": False}).json()["archived"])
        self.assertIn("there is nothing to change", self.refused(host.ask("PATCH", f"sessions/{session}", {}), 400))

    def test_a_change_that_is_refused_changes_nothing(self):
        for profile in ("ai_panel", "zyhive", "claw0"):
            with self.subTest(profile):
                self.store = self.folder / profile
                host = self.host("--profile", profile)
                session = host.chat("Hello")[1]["sessionId"]
                for more in ({"state": {"c": 1}}, {"archived": True}):
                    answer = host.ask("PATCH", f"sessions/{session}", {"title": "X", **more})
                    self.assertEqual(self.refused(answer, 422), "sessions of this kind cannot store this")
                    self.assertEqual(host.get(f"sessions/{session}")["title"], "Hello")
                host.restart()
                self.assertEqual(host.get("sessions")["sessions"][0]["title"], "Hello")
                host.kill()
        self.store = self.folder / "native"
        host = self.host()
        session = host.chat("Hello")[1]["sessionId"]
        deep = '{"title": "X", "archived": true, "state": {"a": ' + "[" * 126 + "]" * 126 + "}}"  # its line would be deeper
        self.refused(host.ask("PATCH", f"sessions/{session}", deep), 400)
        row = host.get(f"sessions/{session}")
        self.assertEqual((row["title"], row["archived"]), ("Hello", False))

    def test_state_keeps_its_values_as_they_were_written(self):
        host = self.host()
        session = host.chat("Hello")[1]["sessionId"]
        values = ("1.10", "12345678901234567890123", "-0", "1e400", '{"b": [1.0, "},\\"\\\\"], "a": {}}', "true")
        members = ", ".join(f'"v{i}" :\n{value}' for i, value in enumerate(values))
        body = '{"state": {"v0": 7}, "st\\u0061te": {' + members + ', "gone": null, "twice": 1, "twice": null}}'
        self.assertEqual(host.ask("PATCH", f"sessions/{session}", body).status, 200)
        folder = self.store / "agents" / "main" / "sessions"
        line = (folder / f"{session}.jsonl").read_text().splitlines()[-1]
        for i, value in enumerate(values):
            self.assertIn(f'"v{i}":{value}', line)
        state = self.ok("info", session, "--store", folder, "--json").json["state"]
        self.assertEqual(sorted(state), [f"v{i}" for i in range(len(values))])

    def test_a_list_begins_at_an_offset(self):
        host = self.host()
        ids = [host.chat(f"talk {i}")[1]["sessionId"] for i in range(5)][::-1]
        page = host.get("sessions?offset=2&limit=2")
        self.assertEqual([row["id"] for row in page["sessions"]], ids[2:4])
        rest = host.get(f"sessions?cursor={page['next']}")
        self.assertEqual([row["id"] for row in rest["sessions"]], ids[4:])
        self.assertEqual(host.get("sessions?offset=0&limit=1")["sessions"][0]["id"], ids[0])
        self.assertEqual(host.get("sessions?offset=9")["sessions"], [])
        self.refused(host.ask("GET", "sessions?offset=x"), 400)
        found = host.get("sessions?search=talk&offset=4")["sessions"]
        self.assertEqual([row["id"] for row in found], ids[4:])
        folder = self.store / "agents" / "main" / "sessions"
        self.assertEqual(self.ok("ls", "--store", folder, "--offset", "3", "-n", "1").out.split("\t")[0], ids[3])


if __name__ == "__main__":
    unittest.main()
