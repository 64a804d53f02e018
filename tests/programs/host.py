# SPDX-License-Identifier: MIT
"""Shared by the tests of the chat server: the server as a process, and a client that reads its events."""
import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
import unittest

from live import LSAN_OPTIONS, FakeProvider
from support import ProgramTest

CHAT_HOST = os.environ.get("CHAT_HOST", "")
HAS_CURL = os.environ.get("CHAT_HAS_CURL", "1") in ("1", "TRUE", "ON")


class Answer:
    """The server's answer to one request."""

    def __init__(self, connection, reply):
        self.connection, self.reply = connection, reply
        self.status, self.headers = reply.status, reply.headers
        self.last_id = ""

    def text(self):
        with contextlib.closing(self.connection):
            return self.reply.read().decode()

    def json(self):
        return json.loads(self.text())

    def events(self):
        """Yields each event of a stream; the stream may end in the middle."""
        data = None
        with contextlib.closing(self.connection):
            for line in self.reply:
                line = line.decode().rstrip("\n")
                if line.startswith("id: "):
                    self.last_id = line[4:]
                elif line.startswith("data: "):
                    data = json.loads(line[6:])
                elif not line and data is not None:
                    yield data
                    data = None

    def close(self):
        self.connection.close()


class Host:
    """The server. Each start uses the same store and the same port."""

    def __init__(self, test, *arguments, env=None):
        self.test, self.arguments, self.env = test, arguments, env or {}
        self.process, self.port = None, 0
        self.complaints = ""  # on stderr, once it has ended
        test.addCleanup(self.kill)
        self.start()

    def start(self):
        environment = self.test.environment({"LSAN_OPTIONS": LSAN_OPTIONS, **self.env})
        self.process = subprocess.Popen(
            [CHAT_HOST, "--store", str(self.test.store), "--token", "secret", "--admin-token", "admin", "--port",
             str(self.port), *map(str, self.arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=self.test.folder)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise AssertionError(f"the server says {line!r} and {self.process.stderr.read()!r}")
        self.port = int(line.rsplit(":", 1)[1])

    def kill(self, number=signal.SIGKILL):
        """Ends it; returns its exit code."""
        if self.process.returncode is None:
            self.process.send_signal(number)
        with self.process:
            if self.process.returncode is None:
                self.complaints = self.process.stderr.read()
            self.process.wait(timeout=60)
        return self.process.returncode

    def restart(self, number=signal.SIGTERM):
        self.kill(number)
        self.start()

    def ask(self, method, path, body=None, token="secret", headers=None, agent="main"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        everything = {**({"Authorization": "Bearer " + token} if token else {}), **(headers or {})}
        try:
            connection.request(method, path if path.startswith("/") else f"/api/agents/{agent}/{path}",
                               body.encode() if isinstance(body, str) else body, everything)
            return Answer(connection, connection.getresponse())
        except BaseException:
            connection.close()
            raise

    def get(self, path, **options):
        answer = self.ask("GET", path, **options)
        text = answer.text()
        if answer.status != 200:
            raise AssertionError(f"{path}: {answer.status} {text}")
        return json.loads(text)

    def begin(self, message, session=None, token="secret", headers=None, agent="main", **more):
        """A running turn."""
        return self.ask("POST", "chat", {"message": message, **({"sessionId": session} if session else {}), **more},
                        token=token, headers=headers, agent=agent)

    def chat(self, message, session=None, **options):
        """A whole turn: the text of the answer, and the last event."""
        answer = self.begin(message, session, **options)
        if answer.status != 200:
            raise AssertionError(f"{answer.status} {answer.text()}")
        events = list(answer.events())
        if not events or events[-1]["type"] != "done":
            raise AssertionError(f"the turn did not end: {events}")
        return text_of(events), events[-1]

    def talk(self, session, **options):
        """The words of a session's messages of the user and the assistant, in order."""
        entries = self.get(f"sessions/{session}", **options)["entries"]
        return [(e["role"], "".join(p["text"] for p in e["content"] if p["type"] == "text"))
                for e in entries if e["type"] == "message" and e["role"] != "tool"]

    def memory(self):
        """Its memory in bytes."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def text_of(events):
    return "".join(event["text"] for event in events if event["type"] == "text_delta")


def in_parallel(*actions):
    """Runs all at the same time; raises the first exception."""
    failures = []

    def run(action):
        try:
            action()
        except BaseException as error:  # noqa: B902: reported to the test
            failures.append(error)
    threads = [threading.Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it did not happen in time")
        time.sleep(0.01)


@unittest.skipUnless(CHAT_HOST, "built without cpp-httplib")
class HostTest(ProgramTest):
    def host(self, *arguments, env=None):
        return Host(self, *arguments, env=env)

    def host_with(self, fake, *arguments, provider="anthropic", env=None):
        return Host(self, "--provider", provider, "--base-url", fake.base_url(provider), *arguments, env=env)

    def scripted(self, *steps):
        """Arguments for a provider that plays these answers and then improvises."""
        script = self.folder / f"script-{time.monotonic_ns()}.jsonl"
        script.write_text("".join(json.dumps(step) + "\n" for step in steps))
        return "--script-file", script

    def grew_by_less_than(self, megabytes, host, before):
        with open(CHAT_HOST, "rb") as file:
            if re.search(rb"__[at]san_init", file.read()):
                return  # a sanitizer keeps freed memory
        self.assertLess(host.memory() - before, megabytes << 20)

    def refused(self, answer, status):
        self.assertEqual(answer.status, status, answer.headers)
        self.assertEqual(answer.headers["content-type"], "application/problem+json")
        problem = answer.json()
        self.assertEqual(problem["status"], status)
        return problem["detail"]


needs_curl = unittest.skipUnless(HAS_CURL, "built without libcurl")
__all__ = ["CHAT_HOST", "Answer", "FakeProvider", "Host", "HostTest", "in_parallel", "needs_curl", "text_of", "wait_for"]
