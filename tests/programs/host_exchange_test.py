# SPDX-License-Identifier: MIT
"""What goes in and out of the chat server: conversations as files, settings, the next request, and the changes of others."""
import json
import threading
import time
import unittest

from host import Host, HostTest


class Exchange(HostTest):
    def test_a_conversation_goes_out_and_comes_in(self):
        host = self.host("--user", "ann=a")
        session = host.chat("hello")[1]["sessionId"]
        host.ask("PATCH", f"sessions/{session}", {"title": "A greeting"}).close()
        answer = host.ask("GET", f"sessions/{session}/export")
        self.assertEqual(answer.headers["content-disposition"], f'attachment; filename="{session}.jsonl"')
        log = answer.text()
        self.assertEqual(json.loads(log.splitlines()[0])["id"], session)
        row = host.ask("POST", "import", log, token="a").json()
        self.assertNotEqual(row["id"], session)
        self.assertEqual((row["title"], row["messageCount"]), ("A greeting", 2))
        self.assertEqual(host.talk(row["id"], token="a"), host.talk(session))
        times = [[entry["timestamp"] for entry in host.get(f"sessions/{name}", token=token)["entries"]]
                 for name, token in ((session, "secret"), (row["id"], "a"))]
        self.assertEqual(times[0], times[1])
        self.assertIn("remember 2", host.chat("again", row["id"], token="a")[0])
        self.refused(host.ask("GET", f"sessions/{row['id']}/export"), 404)

    def test_another_dialect_comes_in(self):
        host = self.host()
        log = '{"role":"user","content":"one"}\n{"role":"assistant","content":"two"}\n'
        row = host.ask("POST", "import", log).json()
        self.assertEqual(host.talk(row["id"]), [("user", "one"), ("assistant", "two")])

    def test_what_is_no_conversation_is_refused_and_leaves_nothing(self):
        host = self.host()
        for body in ("", "hello", "{}", "[1,2]", "\x00\xff", '{"type":"session","version":3,"id":"x"}', "{" * 100000):
            self.refused(host.ask("POST", "import", body), 400)
        self.assertEqual(host.get("sessions")["sessions"], [])

    def test_settings_hold_from_their_message_on(self):
        host = self.host("--model", "first", "--also-model", "second", "--system", "be nice", "--prices", "3", "15")
        self.assertEqual(host.get("/api/agents"), {"agents": [{"id": "main", "models": ["first", "second"], "system": "be nice"}],
                                                   "prices": {"input": 3.0, "output": 15.0}})
        self.refused(host.begin("x", settings={"model": "third"}), 400)
        self.refused(host.begin("x", settings=[]), 400)
        session = host.chat("x", settings={"model": "second", "system": "be brief"})[1]["sessionId"]
        self.assertEqual(host.get(f"sessions/{session}")["settings"], {"model": "second", "system": "be brief"})
        host.restart()
        host.chat("y", session, settings={"system": ""})
        self.assertEqual(host.get(f"sessions/{session}")["settings"], {"model": "second", "system": ""})

    def test_the_next_request_says_what_was_repaired(self):
        host = self.host()
        log = "".join(json.dumps(line) + "\n" for line in (
            {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/"},
            {"type": "message", "id": "a", "parentId": None, "timestamp": "2026-01-01T00:00:01.000Z",
             "message": {"role": "user", "content": [{"type": "text", "text": "look"}]}},
            {"type": "message", "id": "b", "parentId": "a", "timestamp": "2026-01-01T00:00:02.000Z",
             "message": {"role": "assistant", "content": [{"type": "toolCall", "id": "t", "name": "read", "arguments": {}}]}}))
        session = host.ask("POST", "import", log).json()["id"]
        request = host.get(f"sessions/{session}/request")
        self.assertEqual(request["messages"], 3)
        self.assertTrue(request["repairs"])
        self.assertGreater(request["tokens"], 0)

    def test_what_another_program_writes_is_reported(self):
        host = self.host()
        other = Host(self)
        session = host.chat("one")[1]["sessionId"]
        end = host.get(f"sessions/{session}")["end"]
        news = []
        waiting = threading.Thread(target=lambda: news.append(host.get(f"sessions/{session}/changes?end={end}")))
        waiting.start()
        time.sleep(0.2)
        self.assertEqual(news, [])
        other.chat("two", session)
        waiting.join(timeout=20)
        self.assertTrue(news[0]["changed"])
        self.assertGreater(news[0]["end"], end)
        self.refused(host.ask("GET", "sessions/nothing/changes?end=1"), 404)


if __name__ == "__main__":
    unittest.main()
