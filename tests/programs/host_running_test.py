# SPDX-License-Identifier: MIT
"""Running turns of the chat server: clients that leave and come back, cancel or delete, and the end of the server."""
import signal
import time
import unittest

from host import HostTest, in_parallel, text_of, wait_for

SLOW = {"when": "slowly", "text": "word " * 150, "delay_ms": 10, "chunk": 5}


class Running(HostTest):
    def test_the_turn_continues_without_its_client_and_can_be_followed_again(self):
        host = self.host(*self.scripted(SLOW))
        answer = host.begin("slowly")
        session, heard = answer.headers["X-Session-ID"], []
        for event in answer.events():
            heard.append(event)
            if len(heard) == 20:
                break
        answer.close()
        self.assertTrue(host.get(f"sessions/{session}")["running"])
        self.refused(host.begin("me too", session), 409)
        self.assertEqual(host.ask("PATCH", f"sessions/{session}", {"title": "Meanwhile"}).status, 200)
        again = host.ask("GET", f"sessions/{session}/events", headers={"Last-Event-ID": answer.last_id})
        from_start = host.ask("GET", f"sessions/{session}/events")
        rest = list(again.events())
        self.assertEqual(text_of(heard + rest), "word " * 150)
        self.assertEqual(rest[-1]["type"], "done")
        self.assertEqual(list(from_start.events()), heard + rest)
        self.assertEqual(list(host.ask("GET", f"sessions/{session}/events", headers={"Last-Event-ID": "x.99"}).events()), heard + rest)
        self.assertFalse(host.get(f"sessions/{session}")["running"])
        self.assertEqual(host.talk(session)[-1], ("assistant", "word " * 150))
        self.assertEqual(host.get(f"sessions/{session}")["title"], "Meanwhile")
        host.restart()
        self.assertEqual(host.ask("GET", f"sessions/{session}/events").status, 204)

    def test_an_answer_is_cancelled_and_its_text_is_kept(self):
        host = self.host(*self.scripted(SLOW))
        answer = host.begin("slowly")
        session, events = answer.headers["X-Session-ID"], answer.events()
        wait_for(lambda: next(events)["type"] == "text_delta")
        self.assertTrue(host.ask("POST", f"sessions/{session}/cancel", {}).json()["cancelled"])
        self.assertEqual(list(events)[-1]["end"], "interrupted")
        self.assertFalse(host.ask("POST", f"sessions/{session}/cancel", {}).json()["cancelled"])
        last = host.get(f"sessions/{session}")["entries"][-1]
        self.assertTrue(last["interrupted"])
        self.assertIn("I remember 2", host.chat("and?", session)[0])

    def test_a_session_that_is_deleted_while_it_answers_stays_deleted(self):
        host = self.host(*self.scripted(*[SLOW] * 3))
        answer = host.begin("slowly")
        session, events = answer.headers["X-Session-ID"], answer.events()
        next(events)
        self.assertEqual(host.ask("DELETE", f"sessions/{session}").status, 204)
        self.assertEqual(list(events)[-1]["type"], "done")
        self.refused(host.ask("GET", f"sessions/{session}/events"), 404)
        self.assertEqual(host.get("sessions")["sessions"], [])
        # Several clients delete, and several continue: one wins, and none waits forever.
        _, done = host.chat("another")
        statuses = []
        in_parallel(*[lambda: statuses.append(host.ask("DELETE", f"sessions/{done['sessionId']}").status)] * 4,
                    *[lambda: host.begin("slowly", done["sessionId"]).text()] * 2)
        self.assertEqual(statuses.count(204), 1, statuses)
        self.assertEqual(host.get("sessions")["sessions"], [])

    def test_it_ends_at_a_signal_and_keeps_partial_answers(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            host = self.host(*self.scripted(*[SLOW] * 3))
            answers = [host.begin("slowly") for _ in range(3)]
            streams = [answer.events() for answer in answers]
            for stream in streams:
                wait_for(lambda: next(stream)["type"] == "text_delta")
            begin = time.monotonic()
            self.assertEqual(host.kill(number), 0)
            self.assertLess(time.monotonic() - begin, 10)
            host.start()
            for answer in answers:
                entries = host.get(f"sessions/{answer.headers['X-Session-ID']}")["entries"]
                self.assertTrue(entries[-1]["interrupted"])
                self.assertTrue(entries[-1]["content"][0]["text"].startswith("word"))
            host.kill()


if __name__ == "__main__":
    unittest.main()
