# SPDX-License-Identifier: MIT
"""The promises of a turn of the chat server: what is stored, what is reported, and how a turn fails."""
import base64
import resource
import signal
import unittest

from host import FakeProvider, HostTest, needs_curl, text_of, wait_for

SLOW = {"when": "slowly", "text": "word " * 60, "delay_ms": 10, "chunk": 5}
STORES_AT_ONCE = {"native": True, "zyhive": True, "claw0": False, "zeroclaw": False, "blades": False}
PNG = "data:image/png;base64," + base64.b64encode(b"\x89PNG not quite").decode()


class Promises(HostTest):
    def host_of(self, profile, *steps):
        self.store = self.folder / profile
        return self.host("--profile", profile, *self.scripted(*steps))

    def said_by_user(self, host, session):
        return [text for role, text in host.talk(session) if role == "user"]

    def test_messages_reported_as_stored_survive_a_kill(self):
        for profile, at_once in STORES_AT_ONCE.items():
            with self.subTest(profile):
                host = self.host_of(profile, SLOW)
                _, done = host.chat("one")
                session = done["sessionId"]
                self.assertTrue(done["stored"])
                first = next(host.begin("two, slowly", session).events())
                self.assertEqual((first["type"], first["stored"]), ("session", at_once))
                host.restart(signal.SIGKILL)
                self.assertEqual(self.said_by_user(host, session), ["one", "two, slowly"] if at_once else ["one"])
                self.assertTrue(host.chat("three", session)[1]["stored"])
                host.restart(signal.SIGKILL)
                self.assertEqual(self.said_by_user(host, session)[-1], "three")
                host.kill()

    def test_a_failed_turn_reports_whether_its_message_is_kept(self):
        refusal = {"when": "fail", "error": {"kind": "refused", "message": "no"}}
        for profile in ("native", "claw0"):
            host = self.host_of(profile, refusal)
            done = list(host.begin("fail").events())[-1]
            self.assertEqual(done["end"], "failed")
            self.assertEqual(self.said_by_user(host, done["sessionId"]), ["fail"] if done["stored"] else [])
            self.assertEqual(done["stored"], STORES_AT_ONCE[profile])
            host.kill()

    def test_the_history_marks_entries_of_the_running_turn(self):
        for profile, at_once in (("native", True), ("ai_panel", True), ("claw0", False)):
            with self.subTest(profile):
                host = self.host_of(profile, SLOW)
                session = host.chat("one")[1]["sessionId"]
                events = host.begin("two, slowly", session).events()
                self.assertEqual(next(events)["message"], "two, slowly")
                wait_for(lambda events=events: next(events)["type"] == "text_delta")
                history = host.get(f"sessions/{session}")
                self.assertTrue(history["running"])
                marked = [entry["role"] for entry in history["entries"] if entry.get("ofRunningTurn")]
                before = [entry["role"] for entry in history["entries"] if not entry.get("ofRunningTurn")]
                self.assertEqual((before, marked), (["user", "assistant"], ["user"] if at_once else []))
                again = list(host.ask("GET", f"sessions/{session}/events").events())
                self.assertEqual((again[0]["message"], again[-1]["type"]), ("two, slowly", "done"))
                entries = host.get(f"sessions/{session}")["entries"]
                self.assertEqual([entry.get("ofRunningTurn") for entry in entries], [None] * 4)
                host.kill()

    def test_a_turn_that_finds_no_place_leaves_nothing(self):
        host = self.host("--turns", 1, *self.scripted(SLOW))
        answer = host.begin("slowly")
        next(answer.events())
        for _ in range(5):
            refused = host.begin("me too")
            self.assertEqual(refused.headers["Retry-After"], "1")
            self.refused(refused, 503)
        self.assertEqual(len(host.get("sessions")["sessions"]), 1)
        self.assertEqual(len(list(self.store.rglob("*.jsonl"))), 1)

    def test_a_client_that_received_everything_is_not_asked_to_reconnect(self):
        host = self.host()
        answer = host.begin("hello")
        list(answer.events())
        events = f"sessions/{answer.headers['X-Session-ID']}/events"
        self.assertEqual(host.ask("GET", events, headers={"Last-Event-ID": answer.last_id}).status, 204)
        self.assertEqual(host.ask("GET", events).status, 200)

    def test_an_answer_that_was_cut_is_marked(self):
        host = self.host(*self.scripted({"when": "half", "text": "half of an answer", "cut": True}))
        done = list(host.begin("half").events())[-1]
        self.assertEqual(done["end"], "failed")
        last = host.get(f"sessions/{done['sessionId']}")["entries"][-1]
        self.assertEqual((last["content"][0]["text"], last["failed"]), ("half of an answer", True))

    def test_a_full_disk_ends_a_turn_and_nothing_else(self):
        host = self.host()
        _, done = host.chat("A title of its own")
        size = max(path.stat().st_size for path in self.store.rglob("*.jsonl"))
        resource.prlimit(host.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        events = list(host.begin("x" * 5000, done["sessionId"]).events())
        self.assertEqual([event["type"] for event in events], ["error", "done"])
        self.assertEqual(events[0]["error"], "there is no space left to store it")
        self.assertEqual((events[1]["title"], events[1]["stored"]), ("A title of its own", False))
        self.assertGreater(events[1]["tokenEstimate"], 0)
        resource.prlimit(host.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.assertIn("I remember 2", host.chat("and on", done["sessionId"])[0])


class LeftOut(HostTest):
    @needs_curl
    def test_a_part_that_is_not_stored_is_reported_once_in_a_turn(self):
        (self.folder / "files").mkdir()
        call = {"name": "list_dir", "input": {"path": "."}}
        odd = {"block": {"type": "citation_list", "urls": []}}
        fake = FakeProvider(self, [{"text": "I look.", "tools": [call], **odd}, {"text": "Done.", **odd}] * 2)
        host = self.host_with(fake, "--profile", "claw0", "--folder", self.folder / "files")
        session, reported = None, []
        for _ in range(2):
            events = list(host.begin("look", session).events())
            session = events[-1]["sessionId"]
            reported += [event["message"] for event in events if event["type"] == "left_out"]
        self.assertEqual(len(reported), 2, reported)
        self.assertIn("citation_list", reported[0])
        host.kill(signal.SIGTERM)
        lines = [line for line in host.complaints.splitlines() if "was stored without" in line]
        self.assertEqual(lines, [f"chat_host: session {session}: {message}" for message in reported])

    @needs_curl
    def test_a_compaction_that_keeps_less_is_reported_to_stderr(self):
        fake = FakeProvider(self, [{"summary": True, "text": "Herons."}] * 9)
        host = self.host_with(fake, "--threshold", "1000")
        session = host.chat("Heron. " + "feather " * 1500)[1]["sessionId"]
        for i in range(3):
            host.chat(f"Heron {i}. " + "feather " * 1500, session)
        host.kill(signal.SIGTERM)
        self.assertIn(f"chat_host: session {session}: ", host.complaints)
        self.assertIn("fewer than the policy keeps", host.complaints)


class Pictures(HostTest):
    @needs_curl
    def test_a_picture_that_is_refused_stops_no_later_turn(self):
        for provider in ("anthropic", "openai"):
            fake = FakeProvider(self, [{"when": "look", "error": {"kind": "refused", "message": "Could not process image"}}])
            host = self.host_with(fake, provider=provider)
            events = list(host.begin("look", images=[PNG]).events())
            self.assertEqual(events[-1]["end"], "finished")
            (retry,) = (event for event in events if event["type"] == "retry")
            self.assertEqual(retry["why"], "the model's provider refused the request; trying without the pictures")
            self.assertIn("I remember", text_of(events))
            sent = str(fake.requests[-1]["messages"])
            self.assertNotIn("base64", sent)
            self.assertIn("[image not sent]", sent)
            entries = host.get(f"sessions/{events[-1]['sessionId']}")["entries"]
            self.assertEqual(entries[0]["content"][0]["url"], PNG)  # the person still sees it
            host.kill()

    def test_an_invalid_picture_is_refused(self):
        host = self.host()
        for url in ("data:image/png;base64,A", "data:image/png;base64,iVBORw0=AAAA", "data:image/png;base64,AAAAAAAA",
                    "data:image/jpeg;base64,iVBORw0KGgo=", "https://", "https:///x", "https://a b", "https://\r\nx"):
            self.assertIn("an image is neither", self.refused(host.begin("x", images=[url]), 400))
        self.assertEqual(host.get("sessions")["sessions"], [])


class Cuts(HostTest):
    def test_a_long_result_is_cut_between_characters(self):
        (self.folder / "files").mkdir()
        (self.folder / "files" / "a.txt").write_text("x" + "é" * 3000)
        host = self.host("--folder", self.folder / "files")
        (result,) = (event for event in host.begin("What is in a.txt?").events() if event["type"] == "tool_result")
        self.assertRegex(result["text"], "^x?é+…$")

    def test_a_title_is_cut_between_characters(self):
        host = self.host("--make-titles", *self.scripted({"when": "Name this conversation", "text": "題" * 80}))
        title = host.chat("Tell me")[1]["title"]
        self.assertRegex(title, "^題{30,}$")


if __name__ == "__main__":
    unittest.main()
