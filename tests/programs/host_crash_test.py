# SPDX-License-Identifier: MIT
"""The chat server killed at any moment of many streaming turns."""
import http.client
import os
import random
import threading
import time
import unittest

from host import FakeProvider, HostTest, in_parallel, needs_curl

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


if __name__ == "__main__":
    unittest.main()
