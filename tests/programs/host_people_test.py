# SPDX-License-Identifier: MIT
"""The people of the chat server: what each one sees, tokens, gateways, and the logs of channels."""
import json
import signal
import subprocess
import unittest

from host import CHAT_HOST, HostTest, in_parallel, text_of


class People(HostTest):
    def test_two_users_never_see_each_other(self):
        """The web scene of blades' guide: each client has its own session, named by X-Session-ID."""
        host = self.host("--user", "ada=a-token", "--user", "bob=b-token")
        mine = {}
        for name in ("ada", "bob"):
            answer = host.begin(f"I am {name}", token=name[0] + "-token")
            mine[name] = answer.headers["X-Session-ID"]
            self.assertEqual(list(answer.events())[-1]["sessionId"], mine[name])
        self.assertNotEqual(mine["ada"], mine["bob"])

        def talks(name):
            for _ in range(5):
                answer = host.begin("What did I say first?", token=name[0] + "-token", headers={"X-Session-ID": mine[name]})
                self.assertEqual(answer.headers["X-Session-ID"], mine[name])
                self.assertEqual(text_of(answer.events()), f'First you said: "I am {name}"')
        in_parallel(lambda: talks("ada"), lambda: talks("bob"))
        for name, other in (("ada", "bob"), ("bob", "ada")):
            token = name[0] + "-token"
            self.assertEqual([row["id"] for row in host.get("sessions", token=token)["sessions"]], [mine[name]])
            self.refused(host.begin("x", mine[other], token=token), 404)
            for method, path, body in (("GET", "", None), ("PATCH", "", {"title": "x"}), ("DELETE", "", None),
                                       ("GET", "/events", None), ("POST", "/cancel", {})):
                self.refused(host.ask(method, f"sessions/{mine[other]}{path}", body, token=token), 404)
        # A header may be older than the store, or belong to somebody else: this begins a new conversation.
        for stale in (mine["bob"], "gone", "../../etc/passwd", "x" * 300):
            answer = host.begin("hello", token="a-token", headers={"X-Session-ID": stale})
            self.assertNotIn(answer.headers["X-Session-ID"], (stale, *mine.values()))
            list(answer.events())
        host.restart(signal.SIGINT)
        self.assertEqual(host.chat("first?", mine["bob"], token="b-token")[0], 'First you said: "I am bob"')
        self.assertEqual(host.get("sessions")["sessions"], [])  # the token without a name

    def test_channels_have_logs_that_only_the_administrator_reads(self):
        host = self.host("--user", "ada=a-token", "--user", "bot=b-token", "--gateway", "ada", "--gateway", "bot")
        for session, token in (("telegram-42", "b-token"), ("web-shop", "a-token"), ("telegram-42", "b-token")):
            host.chat(f"hello from {session}", session, token=token)
        host.chat("in private")
        for path in ("convlogs", "convlogs/telegram-42"):
            self.refused(host.ask("GET", path), 403)
            self.refused(host.ask("GET", path, token=None), 401)
        host.restart()
        channels = host.get("convlogs", token="admin")["channels"]
        self.assertEqual([(row["channelId"], row["channelType"]) for row in channels], [("telegram-42", "telegram"), ("web-shop", "web")])
        page = host.get("convlogs/telegram-42?limit=3", token="admin")
        self.assertEqual([message["role"] for message in page["messages"]], ["assistant", "user", "assistant"])
        self.assertEqual(page["messages"][1]["content"], "hello from telegram-42")
        rest = host.get(f"convlogs/telegram-42?from={page['next']}", token="admin")
        self.assertEqual([message["role"] for message in rest["messages"]], ["user"])
        of_ada = host.get("convlogs/web-shop?sender=ada", token="admin")["messages"]
        self.assertEqual([(message["role"], message["sender"]) for message in of_ada], [("user", "ada")])
        self.assertEqual(host.get("convlogs/web-shop?sender=bob", token="admin")["messages"], [])
        for name in ("telegram-43", "private", "..%2f..%2fsessions", "telegram-..%2f..%2fx", "%00", "sessions"):
            self.refused(host.ask("GET", f"convlogs/{name}", token="admin"), 404)
        self.assertIn("belongs to another person", self.refused(host.begin("x", "web-shop", token="b-token"), 404))  # ada
        lines = (self.store / "agents/main/convlogs/telegram-42.jsonl").read_text().splitlines()
        self.assertLessEqual({"ts", "role", "content", "channelId", "channelType"}, set(json.loads(lines[0])))
        # The session does not contain it, and continues in its own file.
        self.assertEqual(len(host.talk("telegram-42", token="b-token")), 4)

    def test_only_a_gateway_begins_the_session_of_a_channel(self):
        host = self.host("--user", "ada=a-token", "--user", "bot=b-token", "--gateway", "bot")
        why = "'telegram-42' is the session of a channel, and only a gateway can begin it"
        for _ in range(2):  # before and after the gateway has begun it
            for token in ("secret", "a-token", "admin"):
                self.assertEqual(self.refused(host.begin("x", "telegram-42", token=token), 400), why)
                other = host.begin("x", token=token, headers={"X-Session-ID": "telegram-42"})
                self.assertEqual(list(other.events())[-1]["end"], "finished")
                self.assertNotEqual(other.headers["X-Session-ID"], "telegram-42")
            self.assertEqual(host.chat("hello", "telegram-42", token="b-token")[1]["sessionId"], "telegram-42")
        self.assertEqual(host.begin("x", token="b-token", headers={"X-Session-ID": "web-7"}).headers["X-Session-ID"], "web-7")
        self.assertEqual(len(host.talk("telegram-42", token="b-token")), 4)

    def test_nothing_answers_without_a_token(self):
        host = self.host()
        for token in (None, "", "secre", "secrets", "SECRET", "admin2"):
            for method, path in (("GET", "sessions"), ("POST", "chat"), ("GET", "sessions/x"), ("GET", "/api/nothing")):
                self.refused(host.ask(method, path, "{}" if method == "POST" else None, token=token), 401)
        self.assertEqual(host.ask("GET", "/", token=None).status, 200)  # the page itself is public
        self.refused(host.ask("GET", "sessions", agent="nobody"), 404)
        self.refused(host.begin("Anybody?", agent="nobody"), 404)

    def test_a_token_is_made_where_none_is_given(self):
        host = self.host()
        host.kill()
        host.process = subprocess.Popen(
            [CHAT_HOST, "--store", "memory:", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = [host.process.stdout.readline() for _ in range(3)]
        token = lines[1].split()[1]
        self.assertRegex(token, r"\A[0-9a-f]{32}\Z")
        host.port = int(lines[0].rsplit(":", 1)[1])
        self.assertTrue(lines[2].endswith(f"/#token={token}\n"))
        self.assertEqual(host.get("sessions", token=token)["sessions"], [])
        self.refused(host.ask("GET", "sessions"), 401)


if __name__ == "__main__":
    unittest.main()
