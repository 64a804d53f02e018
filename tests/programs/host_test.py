# SPDX-License-Identifier: MIT
"""The chat server: the routes of ai-panel and ZyHive, seed after seed."""
import base64
import gzip
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import unittest

from host import CHAT_HOST, FakeProvider, HostTest, in_parallel, needs_curl, text_of, wait_for

SLOW = {"when": "slowly", "text": "word " * 150, "delay_ms": 10, "chunk": 5}


class Walk(HostTest):
    @needs_curl
    def test_the_walk_of_the_panels(self):
        """Chat, restart, continue by the id alone, list, rename, delete."""
        for profile in ("ai_panel", "zyhive", "native"):
            with self.subTest(profile):
                self.store = self.folder / profile
                fake = FakeProvider(self)
                host = self.host_with(fake, "--profile", profile)
                said, done = host.chat("My name is Ada and this is a long message")
                self.assertIn("I remember 1 of your messages", said)
                session = done["sessionId"]
                self.assertGreater(done["tokenEstimate"], 0)
                if profile != "native":
                    self.assertRegex(session, r"\Ases-\d+\Z")
                host.chat("Another one")
                host.restart()
                said, _ = host.chat("What did I say first?", session)
                self.assertEqual(said, 'First you said: "My name is Ada and this is a long message"')

                rows = host.get("sessions")["sessions"]
                self.assertEqual([(row["id"] == session, row["title"], row["messageCount"]) for row in rows],
                                 [(True, "My name is Ada and this is a l", 4), (False, "Another one", 2)])
                self.assertLessEqual({"id", "agentId", "title", "messageCount", "createdAt", "lastAt", "tokenEstimate"},
                                     set(rows[0]))
                self.assertEqual([role for role, _ in host.talk(session)], ["user", "assistant"] * 2)

                renamed = host.ask("PATCH", f"sessions/{session}", {"title": "Über Ada"})
                self.assertEqual((renamed.status, renamed.json()["title"]), (200, "Über Ada"))
                host.restart()
                self.assertEqual(host.get("sessions")["sessions"][0]["title"], "Über Ada")
                self.assertEqual(host.ask("DELETE", f"sessions/{session}").status, 204)
                self.refused(host.ask("GET", f"sessions/{session}"), 404)
                self.refused(host.ask("DELETE", f"sessions/{session}"), 404)
                self.refused(host.begin("Anybody?", session), 404)
                self.assertEqual(len(host.get("sessions")["sessions"]), 1)
                self.assertEqual(fake.state["refused"], [])
                folder = self.store / "agents" / "main" / "sessions"
                self.ok("verify", "--store", folder)
                if profile != "native":
                    (row,) = json.loads((folder / "sessions.json").read_text())["sessions"].values()
                    self.assertEqual(row["filePath"], row["id"] + ".jsonl")
                host.kill()

    @needs_curl
    def test_80000_tokens_are_compacted_and_the_next_load_has_the_summary(self):
        fake = FakeProvider(self, [{"summary": True, "text": "They counted herons."},
                                    *[{"when": "Heron", "text": "I see."}] * 30])
        host = self.host_with(fake, "--profile", "ai_panel")
        session, outcomes = None, []
        for i in range(30):
            answer = host.begin(f"Heron {i}. {'feather ' * 1800}", session)
            events = list(answer.events())
            session = events[-1]["sessionId"]
            outcomes += [event["outcome"] for event in events if event["type"] == "compaction"]
            if outcomes:
                break
        self.assertEqual(outcomes, ["applied"])
        self.assertGreaterEqual(i, 20)
        estimate = events[-1]["tokenEstimate"]
        self.assertLess(estimate, 80000)
        self.assertEqual(host.get("sessions")["sessions"][0]["tokenEstimate"], estimate)
        host.restart()
        host.chat("And on", session)
        request = fake.requests[-1]
        self.assertIn("They counted herons.", json.dumps(request["system"]))
        self.assertNotIn("Heron 0.", json.dumps(request))
        self.assertIn(f"Heron {i}.", json.dumps(request))
        entries = host.get(f"sessions/{session}")["entries"]
        self.assertEqual([e["summary"] for e in entries if e["type"] == "compaction"], ["They counted herons."])
        self.assertEqual(sum(e.get("role") == "user" for e in entries), i + 2)  # nothing is lost, nothing is stored twice
        self.assertEqual(fake.state["refused"], [])

    @needs_curl
    def test_context_and_images_reach_the_model_and_context_is_not_kept(self):
        fake = FakeProvider(self)
        host = self.host_with(fake)
        png = "data:image/png;base64," + base64.b64encode(b"\x89PNG not quite").decode()
        _, done = host.chat("What is this?", context="The person looks at page 7.", images=[png])
        host.chat("And now?", done["sessionId"])
        first, second = fake.requests
        self.assertIn("page 7", json.dumps(first["system"]))
        self.assertNotIn("page 7", json.dumps(second))
        for request in (first, second):
            (image,) = (part for part in request["messages"][0]["content"] if part["type"] == "image")
            self.assertEqual(image["source"]["media_type"], "image/png")
        parts = host.get(f"sessions/{done['sessionId']}")["entries"][0]["content"]
        self.assertEqual([part["type"] for part in parts], ["image", "text"])
        self.assertEqual(parts[0]["url"], png)

    def test_titles_by_the_model(self):
        host = self.host("--make-titles", *self.scripted({"when": "Name this conversation", "text": "Of herons\nand more"}))
        _, done = host.chat("Tell me of herons and other birds that stand in water")
        self.assertEqual(done["title"], "Of herons")
        host.ask("PATCH", f"sessions/{done['sessionId']}", {"title": "Mine"}).text()
        for i in range(6):
            _, done = host.chat(f"{i}", done["sessionId"])
        self.assertEqual(done["title"], "Mine")

    def test_tool_calls_are_reported_and_kept(self):
        (self.folder / "files").mkdir()
        (self.folder / "files" / "a.txt").write_text("<b>from a</b>")
        host = self.host("--folder", self.folder / "files")
        events = list(host.begin("What is in a.txt?").events())
        kinds = [event["type"] for event in events if event["type"] != "text_delta"]
        self.assertEqual(kinds, ["session", "tool_call", "tool_result", "done"])
        call = next(event["tool_call"] for event in events if event["type"] == "tool_call")
        self.assertEqual((call["name"], call["input"]), ("read_file", {"path": "a.txt"}))
        result = next(event for event in events if event["type"] == "tool_result")
        self.assertEqual((result["text"], result["isError"], result["id"]), ("<b>from a</b>", False, call["id"]))
        entries = host.get(f"sessions/{events[-1]['sessionId']}")["entries"]
        self.assertEqual([entry["role"] for entry in entries], ["user", "assistant", "tool", "assistant"])

    def test_a_failure_is_reported_and_the_next_turn_works(self):
        host = self.host(*self.scripted({"when": "fail", "error": {"kind": "refused", "message": "no such model"}}))
        events = list(host.begin("fail").events())
        self.assertEqual([event["type"] for event in events], ["session", "error", "done"])
        self.assertEqual((events[1]["error"], events[2]["end"]), ("the model's provider refused the request", "failed"))
        said, _ = host.chat("on", events[-1]["sessionId"])
        self.assertIn("on", said)


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

    def test_other_engines_keep_it_too(self):
        self.store = f"sqlite:{self.folder / 'talks.db'}"
        try:
            host = self.host("--agent", "one", "--agent", "two")
        except AssertionError as error:
            if "built without" in str(error):
                self.skipTest("built without SQLite")
            raise
        _, done = host.chat("hello", agent="one")
        host.restart()
        self.assertEqual(len(host.get("sessions", agent="one")["sessions"]), 1)
        self.assertEqual(host.get("sessions", agent="two")["sessions"], [])
        self.refused(host.ask("GET", f"sessions/{done['sessionId']}", agent="two"), 404)
        self.assertIn("hello", host.chat("first?", done["sessionId"], agent="one")[0])


class Hostile(HostTest):
    def test_an_invalid_request_is_a_problem(self):
        host = self.host("--body-limit", 20000)
        bodies = ("", "x", "[]", "null", '"x"', "{", "{}", '{"message": 7}', '{"message": " \\n"}', "[" * 15000,
                  '{"a":' * 3000, '{"message":"x","images":"y"}', '{"message":"x","images":[7]}',
                  '{"message":"x","images":["file:///etc/passwd"]}', '{"message":"x","images":["data:text/html;base64,AA=="]}',
                  '{"message":"x","images":["data:image/png;base64,<>"]}', '{"message":"x","sessionId":"../x"}',
                  '{"message":"x","sessionId":7}', '{"message":"x","context":[]}', b'\xff\xfe{"message"')
        for body in bodies:
            self.refused(host.ask("POST", "chat", body), 400)
        self.assertEqual(host.get("sessions")["sessions"], [])
        for size in (20001, 3000000):
            self.refused(host.ask("POST", "chat", b"x" * size), 413)
        pieces = (b"y" * 1000 for _ in range(100))
        self.refused(host.ask("POST", "chat", pieces), 413)  # sent in chunks
        _, done = host.chat("y" * 15000)
        for title in ('{"title": 7}', "{}", "x", '{"title": "' + "y" * 600 + '"}'):
            self.refused(host.ask("PATCH", f"sessions/{done['sessionId']}", title), 400)
        for path in ("sessions/..", "sessions/.hidden", "sessions/" + "x" * 200, "sessions/a%2fb", "sessions/%00", "sessions//events"):
            self.refused(host.ask("GET", path), 404)
        self.refused(host.ask("GET", "sessions?cursor=nonsense"), 400)
        for method, path in (("PRI", "*"), ("POST", "/api/" + "x" * 7000), ("GET", "sessions/" + "x" * 7000)):
            self.refused(host.ask(method, path), 404)
        ranges = host.ask("GET", "/", headers={"Range": "bytes=" + ",".join(["0-"] * 1000)}, token=None)
        self.assertEqual((ranges.status, ranges.text()), (416, ""))
        self.assertIn("I remember 2", host.chat("still there?", done["sessionId"])[0])

    def test_unexpected_bodies_are_not_read(self):
        host = self.host()
        before = host.memory()

        def endless():
            for _ in range(2000):
                yield b"x" * 50000
        for method, path, token in (("POST", "/", None), ("DELETE", "sessions/x", "secret"), ("PUT", "sessions", "secret"),
                                    ("POST", "sessions", "secret"), ("GET", "sessions", "secret"), ("POST", "chat", "secret")):
            try:
                answer = host.ask(method, path, endless(), token=token)
                self.assertIn(answer.status, (400, 404, 405, 413))
                answer.close()
            except OSError:
                pass  # it hung up
        self.grew_by_less_than(20, host, before)

    def test_gzipped_bodies_count_with_their_unpacked_size(self):
        host = self.host("--body-limit", 20000)
        bomb = gzip.compress(b'{"message":"' + b"x" * 15_000_000 + b'"}')
        self.assertLess(len(bomb), 20000)
        before = host.memory()
        self.refused(host.ask("POST", "chat", bomb, headers={"Content-Encoding": "gzip"}), 413)
        self.grew_by_less_than(5, host, before)

    def test_strange_text_goes_in_and_comes_out_as_it_was(self):
        host = self.host()
        text = "<script>alert(1)</script> \u2028 \x00\x1b[2J \U0001f600 \ud83d & ' \" \\ data: x\n\ndata: {\"type\":\"done\"}\r\n"
        said, done = host.chat(text)
        cleaned = text.replace("\ud83d", "\ufffd")
        self.assertEqual(said, f'You said "{cleaned}". I remember 1 of your messages.')
        self.assertEqual(host.talk(done["sessionId"])[0][1], cleaned)

    def test_slow_and_disconnected_clients_do_not_delay_others(self):
        host = self.host("--connections", 8, *self.scripted(SLOW))
        sockets = []
        for sent in (b"", b"GET /", b"POST /api/agents/main/chat HTTP/1.1\r\nAuthorization: Bearer secret\r\nContent-Length: 99\r\n\r\n{"):
            sockets.append(socket.create_connection(("127.0.0.1", host.port)))
            sockets[-1].sendall(sent)
        gone = host.begin("slowly")
        gone.close()
        self.assertIn("hello", host.chat("hello")[0])
        for each in sockets:
            each.close()
        self.assertTrue(host.get(f"sessions/{gone.headers['X-Session-ID']}")["running"])

    def test_the_content_security_policy_is_sent_to_the_browser(self):
        host = self.host()
        page = host.ask("GET", "/", token=None)
        self.assertIn("default-src 'none'", page.headers["Content-Security-Policy"])
        self.assertNotIn("unsafe", page.headers["Content-Security-Policy"])
        self.assertEqual(page.headers["X-Content-Type-Options"], "nosniff")
        self.assertNotIn("Access-Control-Allow-Origin", page.headers)
        page.close()
        for path in ("/../main.cpp", "/%2e%2e/main.cpp", "/page.html~", "/index.html/../../main.cpp"):
            self.refused(host.ask("GET", path, token=None), 404)


if __name__ == "__main__":
    unittest.main()
