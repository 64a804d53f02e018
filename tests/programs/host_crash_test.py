# SPDX-License-Identifier: MIT
"""The chat server killed at any moment of many streaming turns."""
import http.client
import os
import random
import threading
import time
import unittest

from host import FakeProvider, HostTest, in_parallel, needs_curl
from support import CHAT

USERS = 8
KILLS = 200 if "SESSIONKIT_SOAK" in os.environ else 20
BROKEN = (OSError, http.client.HTTPException)


class User(threading.Thread):
    """Sends messages as long as allowed, whatever happens to the server, and remembers the answers."""

    def __init__(self, host, number):
        super().__init__()
        self.host, self.number = host, number
        self.over = threading.Event()
        self.session, self.said = None, 0
        self.stored = []  # our messages that the server reported as stored
        self.answered = {}  # of those, the completed answers
        self.heard = {}  # of each message, as much of its answer as came
        self.failure = None

    def run(self):
        try:
            while not self.over.is_set():
                self.take_turn()
        except BaseException as error:  # noqa: B902: reported to the test
            self.failure = error

    def take_turn(self):
        message = f"User {self.number} says {self.said}"
        self.said += 1
        try:
            answer = self.host.begin(message, self.session)
            if answer.status == 404 and not self.stored:
                self.session = None  # it was never acknowledged
                self.heard = {}
                answer.close()
                return
            if answer.status != 200:
                raise AssertionError(f"{message}: {answer.status} {answer.text()}")
            text = ""
            for event in answer.events():
                if event["type"] == "session":
                    self.session = event["sessionId"]
                if event.get("stored") and message not in self.stored:
                    self.stored.append(message)
                if event["type"] == "text_delta":
                    text += event["text"]
                    self.heard[message] = text
                elif event["type"] == "error":
                    raise AssertionError(f"{message}: {event}")
                elif event["type"] == "done":
                    self.answered[message] = text
        except BROKEN:
            time.sleep(0.02)  # it was killed


class Kills(HostTest):
    @needs_curl
    def test_every_later_request_is_accepted_and_nothing_acknowledged_is_lost(self):
        self.kill_often("native", KILLS)

    @needs_curl
    def test_nothing_acknowledged_is_lost_where_turns_are_stored_at_their_end(self):
        self.kill_often("claw0", KILLS // 4)

    def kill_often(self, profile, kills):
        seed = int(os.environ.get("SESSIONKIT_SEED", time.time_ns() % 100000))
        print("seed", seed)
        chance = random.Random(seed)
        (self.folder / "files").mkdir()
        (self.folder / "files" / "config.json").write_text('{"answer": 42}')
        call = {"text": "Let me look at this.", "delay_ms": 2,
                "tools": [{"name": "list_dir", "input": {}}, {"name": "read_file", "input": {"path": "config.json"}}]}
        fake = FakeProvider(self, [call, call, {"text": "word " * 12, "delay_ms": 3}] * kills)
        host = self.host_with(fake, "--folder", self.folder / "files", "--profile", profile)
        users = [User(host, number) for number in range(USERS)]
        for user in users:
            user.start()
        for _ in range(kills):
            time.sleep(0.05 + chance.random() * 0.25)
            host.restart(9)
        time.sleep(0.3)
        for user in users:
            user.over.set()
        for user in users:
            user.join()
        for user in users:
            if user.failure:
                raise user.failure
        in_parallel(*[lambda user=user: self.check(host, user) for user in users])
        self.assertEqual(fake.state["refused"], [])
        self.ok("verify", "--store", self.store / "agents" / "main" / "sessions")
        print(f"{profile}: {kills} kills, {sum(u.said for u in users)} messages, {sum(len(u.stored) for u in users)} acknowledged, "
              f"{sum(len(u.answered) for u in users)} answered, {fake.state['accepted']} requests accepted")

    def check(self, host, user):
        if user.session is None:
            self.assertEqual(user.stored, [])
            return
        said, _ = host.chat("What was said first?", user.session)
        self.assertTrue(said)
        talk = host.talk(user.session)
        of_user = [text for role, text in talk if role == "user"]
        self.assertEqual([text for text in of_user if text in set(user.stored)], user.stored)
        self.assertTrue(all(text.startswith(f"User {user.number} ") for text in of_user[:-1]), of_user)
        self.assertEqual(len(of_user), len(set(of_user)))
        for message, answer in user.answered.items():
            at = talk.index(("user", message))
            answers = []
            for role, text in talk[at + 1:]:
                if role == "user":
                    break
                answers.append(text)
            self.assertEqual("".join(answers), answer)
        for message, heard in user.heard.items():
            at = talk.index(("user", message))
            end = next((i for i in range(at + 1, len(talk)) if talk[i][0] == "user"), len(talk))
            self.assertTrue("".join(text for _, text in talk[at + 1:end]).startswith(heard), (message, heard, talk[at:end]))


class Drafts(HostTest):
    def slow(self):
        return self.scripted({"text": "word " * 400, "delay_ms": 20, "chunk": 5})

    def drafts(self):
        return sorted((self.folder / ".local/state/sessionkit/drafts").iterdir())

    def killed_in_the_middle(self, host, session=None):
        answer = host.begin("Tell me a story", session)
        heard = ""
        for event in answer.events():
            session = event.get("sessionId", session)
            heard += event.get("text", "")
            if len(heard) > 50:
                break
        host.kill()
        return session, heard

    def test_what_was_heard_of_an_answer_is_stored_once_and_marked_as_cut(self):
        for profile in ("native", "claw0", "zyhive"):
            with self.subTest(profile):
                self.store = self.folder / profile
                host = self.host("--profile", profile, *self.slow())
                session, heard = self.killed_in_the_middle(host)
                (draft,) = self.drafts()
                self.assertEqual(draft.stat().st_mode & 0o777, 0o600)
                self.assertEqual(draft.parent.stat().st_mode & 0o777, 0o700)
                for starts in range(2):
                    host.start()
                    entries = [e for e in host.get(f"sessions/{session}")["entries"] if e["type"] == "message"]
                    self.assertEqual([e["role"] for e in entries], ["user", "assistant"])
                    said = entries[-1]["content"][0]["text"]
                    self.assertTrue(said.startswith(heard.rstrip()), (said, heard))
                    self.assertTrue(entries[-1]["interrupted"])
                    self.assertEqual(self.drafts(), [])
                    host.kill()
                    self.assertEqual("its last answer was cut" in host.complaints, starts == 0, host.complaints)
                host.arguments = ("--profile", profile)
                host.start()
                self.assertIn("I remember 2 of your messages", host.chat("Go on", session)[0])
                host.kill()

    def test_a_draft_of_another_program_is_kept_when_its_conversation_is_opened(self):
        first = self.host(*self.slow())
        session, heard = self.killed_in_the_middle(first)
        chat = self.run_program("--store", self.store / "agents/main/sessions", "-r", session, "-p", "And then?", program=CHAT)
        self.assertIn(b"[the last answer was cut when the program was killed; its text was kept]\n", chat.stderr)
        self.assertEqual(self.drafts(), [])
        first.start()
        talk = first.talk(session)
        self.assertEqual([role for role, _ in talk], ["user", "assistant", "user", "assistant"])
        self.assertTrue(talk[1][1].startswith(heard.rstrip()))

    def test_a_draft_of_a_server_that_answers_is_left_to_it(self):
        host = self.host(*self.slow())
        answer = host.begin("Tell me a story")
        events = answer.events()
        session = next(events)["sessionId"]
        while next(events)["type"] != "text_delta":
            pass
        other = self.run_program("--store", self.store / "agents/main/sessions", "-r", session, program=CHAT, stdin="/history\n")
        self.assertNotIn(b"cut", other.stdout + other.stderr)
        self.assertEqual(len(self.drafts()), 1)
        host.ask("POST", f"sessions/{session}/cancel", {})
        self.assertEqual(list(events)[-1]["end"], "interrupted")
        self.assertEqual(self.drafts(), [])
        self.assertEqual([role for role, _ in host.talk(session)], ["user", "assistant"])

    def test_a_damaged_draft_is_reported_and_stays(self):
        host = self.host(*self.slow())
        session, _ = self.killed_in_the_middle(host)
        (draft,) = self.drafts()
        draft.write_text(draft.read_text().replace('{"text"', '{"txet"', 3))
        text = draft.read_text()
        host.start()
        self.assertEqual(host.talk(session), [("user", "Tell me a story")])
        host.kill()
        self.assertIn(f"the draft {draft} was not used, and stays: a line in it is damaged\n", host.complaints)
        self.assertEqual(draft.read_text(), text)

    def test_without_a_folder_that_can_be_written_the_server_says_so(self):
        (self.folder / "file").write_text("")
        host = self.host("--drafts", self.folder / "file" / "drafts", *self.scripted({"text": "fine"}))
        self.assertEqual(host.chat("hello")[0], "fine")
        host.kill()
        self.assertIn("answers are not kept while they arrive: ", host.complaints)

    def test_nothing_is_kept_where_turns_are_not_stored(self):
        host = self.host("--no-auto-save", *self.slow())
        self.killed_in_the_middle(host)
        self.assertEqual(self.drafts(), [])


if __name__ == "__main__":
    unittest.main()
