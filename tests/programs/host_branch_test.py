# SPDX-License-Identifier: MIT
"""Branches over HTTP: an earlier message is said in another way, a message is answered again, and one goes back."""
import unittest

from host import HostTest, text_of

SLOW = {"when": "slowly", "text": "word " * 60, "delay_ms": 10, "chunk": 5}


class Branch(HostTest):
    def entries(self, host, session):
        return host.get(f"sessions/{session}")["entries"]

    def retry(self, host, session, entry):
        answer = host.ask("POST", f"sessions/{session}/retry", {"entry": entry})
        self.assertEqual(answer.status, 200)
        return list(answer.events())

    def choose(self, host, session, entry):
        self.assertEqual(host.ask("POST", f"sessions/{session}/branch", {"entry": entry}).status, 204)

    def test_an_earlier_message_is_said_in_another_way(self):
        host = self.host()
        session = host.chat("one")[1]["sessionId"]
        host.chat("two", session)
        before = self.entries(host, session)
        said, _ = host.chat("two, but better", session, after=before[1]["id"])
        self.assertEqual(said, 'You said "two, but better". I remember 2 of your messages.')
        self.assertEqual([text for role, text in host.talk(session) if role == "user"], ["one", "two, but better"])
        entries = self.entries(host, session)
        self.assertEqual(entries[2]["branches"], [before[2]["id"], entries[2]["id"]])
        self.assertTrue(all("branches" not in entry for i, entry in enumerate(entries) if i != 2))
        host.chat("first of all", session, after="")
        self.assertEqual([text for role, text in host.talk(session) if role == "user"], ["first of all"])
        self.assertEqual(len(self.entries(host, session)[0]["branches"]), 2)

    def test_what_followed_an_entry_is_taken_back_and_brought_back(self):
        host = self.host()
        session = host.chat("one")[1]["sessionId"]
        for text in ("two", "three"):
            host.chat(text, session)
        before = self.entries(host, session)
        self.assertEqual(host.ask("POST", f"sessions/{session}/branch", {"entry": before[1]["id"], "end": True}).status, 204)
        self.assertEqual([entry["id"] for entry in self.entries(host, session)], [entry["id"] for entry in before[:2]])
        said, _ = host.chat("another two", session)
        self.assertIn("I remember 2 of your messages", said)
        self.choose(host, session, before[-1]["id"])
        self.assertEqual([text for role, text in host.talk(session) if role == "user"], ["one", "two", "three"])
        self.refused(host.ask("POST", f"sessions/{session}/branch", {"entry": before[1]["id"], "end": 1}), 400)

    def test_a_message_is_answered_again_and_both_answers_stay(self):
        host = self.host(*self.scripted({"when": "question", "text": "the first"}, {"when": "question", "text": "the second"}))
        session = host.chat("question")[1]["sessionId"]
        question, first = self.entries(host, session)
        events = self.retry(host, session, question["id"])
        self.assertEqual((text_of(events), events[0]["stored"], events[-1]["end"]), ("the second", True, "finished"))
        self.assertEqual(host.talk(session), [("user", "question"), ("assistant", "the second")])
        second = self.entries(host, session)[1]
        self.assertEqual(second["branches"], [first["id"], second["id"]])
        self.choose(host, session, first["id"])
        self.assertEqual(host.talk(session), [("user", "question"), ("assistant", "the first")])
        host.restart()
        self.assertEqual(host.talk(session), [("user", "question"), ("assistant", "the first")])
        self.assertIn("remember 2", host.chat("and then?", session)[0])
        self.choose(host, session, second["id"])
        self.assertEqual(host.talk(session), [("user", "question"), ("assistant", "the second")])
        self.choose(host, session, first["id"])  # with what followed it
        self.assertEqual([text for role, text in host.talk(session) if role == "user"], ["question", "and then?"])

    def test_a_second_answer_that_fails_leaves_the_first(self):
        host = self.host(*self.scripted({"text": "the first"}, {"error": {"kind": "refused", "message": "no"}}))
        session = host.chat("question")[1]["sessionId"]
        events = self.retry(host, session, self.entries(host, session)[0]["id"])
        self.assertEqual(events[-1]["end"], "failed")
        self.assertEqual(host.talk(session), [("user", "question"), ("assistant", "the first")])

    def test_the_history_of_a_running_branch_has_no_entry_of_the_other(self):
        host = self.host(*self.scripted({"text": "the first"}, SLOW))
        session = host.chat("slowly")[1]["sessionId"]
        question = self.entries(host, session)[0]["id"]
        events = host.ask("POST", f"sessions/{session}/retry", {"entry": question}).events()
        while next(events)["type"] != "text_delta":
            pass
        history = host.get(f"sessions/{session}")
        self.assertTrue(history["running"])
        self.assertEqual([entry["id"] for entry in history["entries"]], [question])
        list(events)
        self.assertEqual(len(self.entries(host, session)), 2)

    def test_what_cannot_branch_is_refused(self):
        host = self.host(*self.scripted({"text": "the first"}, SLOW))
        session = host.chat("question")[1]["sessionId"]
        self.assertTrue(host.get(f"sessions/{session}")["canBranch"])
        question, answer = self.entries(host, session)
        self.refused(host.ask("POST", f"sessions/{session}/retry", {"entry": answer["id"]}), 400)
        self.refused(host.ask("POST", f"sessions/{session}/retry", {"entry": "nothing"}), 404)
        self.refused(host.ask("POST", f"sessions/{session}/retry", {}), 400)
        self.refused(host.ask("POST", f"sessions/{session}/branch", {"entry": "nothing"}), 404)
        self.refused(host.ask("POST", "sessions/nothing/branch", {"entry": question["id"]}), 404)
        self.refused(host.begin("x", session, after="nothing"), 404)
        running = host.begin("slowly", session)
        next(running.events())
        self.refused(host.ask("POST", f"sessions/{session}/retry", {"entry": question["id"]}), 409)
        self.refused(host.ask("POST", f"sessions/{session}/branch", {"entry": answer["id"]}), 409)
        host.kill()
        for profile in ("ai_panel", "claw0"):
            self.store = self.folder / profile
            host = self.host("--profile", profile)
            session = host.chat("question")[1]["sessionId"]
            history = host.get(f"sessions/{session}")
            self.assertFalse(history["canBranch"], profile)
            self.refused(host.ask("POST", f"sessions/{session}/retry", {"entry": history["entries"][0]["id"]}), 422)
            host.kill()


if __name__ == "__main__":
    unittest.main(verbosity=2)
