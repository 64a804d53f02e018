# SPDX-License-Identifier: MIT
"""chat_host over time: messages that wait for a turn, old sessions, summaries, and the logs of all agents' channels."""
import json
import re
import signal
import sqlite3
import unittest

from host import HostTest, wait_for


def age(store):
    """Moves every session of a directory six years back; the index is rebuilt."""
    for file in store.glob("*.jsonl"):
        file.write_text(re.sub(r"20[0-9][0-9]-", "2020-", file.read_text(encoding="utf-8")), encoding="utf-8")
    for file in store.glob("sessions.*"):
        file.unlink()


class Waiting(HostTest):
    def slow_host(self):
        return self.host("--delay", "30")

    def test_messages_that_wait_become_turns_in_their_order(self):
        host = self.slow_host()
        first = host.begin("slow one " + "word " * 20)
        session = first.headers["X-Session-ID"]
        queue = f"sessions/{session}/queue"
        self.assertEqual(host.ask("POST", queue, {"message": "two"}).json(), {"waiting": 1})
        answer = host.ask("POST", queue, {"message": "three"})
        self.assertEqual((answer.status, answer.json()), (202, {"waiting": 2}))
        self.assertEqual(host.get(f"sessions/{session}")["waiting"], 2)
        self.refused(host.begin("four", session), 409)  # as in ZyHive
        self.assertEqual(list(first.events())[-1]["end"], "finished")
        wait_for(lambda: not host.get(f"sessions/{session}")["running"])
        said = [text for role, text in host.talk(session) if role == "user"]
        self.assertEqual(said[1:], ["two", "three"])
        self.assertEqual(host.ask("POST", queue, {"message": "four"}).json(), {"waiting": 0})  # no turn ran: it begins
        wait_for(lambda: len(host.talk(session)) == 8)

    def test_a_cancelled_turn_drops_what_waits_and_says_so(self):
        host = self.slow_host()
        first = host.begin("slow one " + "word " * 50)
        session = first.headers["X-Session-ID"]
        events = first.events()
        while next(events)["type"] != "text_delta":
            pass
        for message in ("two", "three"):
            host.ask("POST", f"sessions/{session}/queue", {"message": message}).text()
        self.assertEqual(host.ask("POST", f"sessions/{session}/cancel", {}).json(), {"cancelled": True, "dropped": 2})
        self.assertEqual(list(events)[-1]["end"], "interrupted")
        wait_for(lambda: not host.get(f"sessions/{session}")["running"])
        self.assertEqual([role for role, _ in host.talk(session)], ["user", "assistant"])

    def test_what_waits_is_limited_checked_and_lost_with_a_line_at_the_end(self):
        host = self.host("--delay", "100", "--user", "ada=a-token")
        first = host.begin("slow one " + "word " * 50)
        session = first.headers["X-Session-ID"]
        queue = f"sessions/{session}/queue"
        self.refused(host.ask("POST", queue, {"message": " "}), 400)
        self.refused(host.ask("POST", queue, {"message": "x", "sessionId": "other"}), 400)
        self.refused(host.ask("POST", queue, {"message": "x"}, token="a-token"), 404)
        self.refused(host.ask("GET", queue), 405)
        for i in range(32):
            self.assertEqual(host.ask("POST", queue, {"message": f"m{i}"}).status, 202)
        self.refused(host.ask("POST", queue, {"message": "one too many"}), 503)
        self.assertEqual(host.kill(signal.SIGTERM), 0)
        self.assertIn("32 messages waited for a turn of agent main; they are not stored", host.complaints)


class Old(HostTest):
    def test_nothing_is_removed_unless_asked(self):
        host = self.host()
        session = host.chat("hello")[1]["sessionId"]
        host.kill(signal.SIGTERM)
        age(self.store / "agents/main/sessions")
        host.start()
        self.assertEqual([row["id"] for row in host.get("sessions")["sessions"]], [session])

    def test_idle_sessions_and_those_above_a_number_go_and_each_is_reported(self):
        host = self.host("--agent", "main", "--agent", "other")
        old = [host.chat(f"old {i}")[1]["sessionId"] for i in range(2)]
        host.kill(signal.SIGTERM)
        age(self.store / "agents/main/sessions")
        host.arguments = [*host.arguments, "--idle", "30", "--most", "2", "--prune-every", "1"]
        host.start()
        new = []
        for i in range(4):
            new.append(host.chat(f"new {i}")[1]["sessionId"])
        host.chat("theirs", agent="other")
        wait_for(lambda: len(host.get("sessions")["sessions"]) == 2)
        self.assertEqual([row["id"] for row in host.get("sessions")["sessions"]], new[:1:-1])
        self.assertEqual(len(host.get("sessions", agent="other")["sessions"]), 1)
        host.kill(signal.SIGTERM)
        lines = [line for line in host.complaints.splitlines() if "removed session" in line]
        self.assertEqual({re.search(r"removed session (\S+) of agent main: ", line)[1] for line in lines}, {*old, *new[:2]})
        self.assertEqual(sum("no entry for" in line for line in lines), 2, lines)

    def test_sessions_without_an_agent_go_too(self):
        folder = self.store / "agents/main/sessions"
        for i in range(3):
            session = self.ok("new", "--store", folder).out.strip()
            self.ok("append", session, "--store", folder, "--role", "user", "--text", f"{i}")
        host = self.host("--most", "1")
        wait_for(lambda: [row["id"] for row in host.get("sessions")["sessions"]] == [session])

    def test_a_running_turn_keeps_its_session(self):
        host = self.host("--delay", "60", "--most", "1", "--prune-every", "1")
        turns = [host.begin(f"slow {i} " + "word " * 40) for i in range(2)]
        ends = [list(turn.events())[-1]["end"] for turn in turns]
        self.assertEqual(ends, ["finished", "finished"])
        wait_for(lambda: len(host.get("sessions")["sessions"]) == 1)


class Summaries(HostTest):
    def test_history_limit_and_threshold_replace_the_profiles_numbers(self):
        host = self.host("--threshold", "400", "--history-limit", "2")
        session = host.chat("a " * 200)[1]["sessionId"]
        for i in range(4):
            host.chat(f"{i} " * 200, session)
        entries = host.get(f"sessions/{session}")["entries"]
        self.assertIn("compaction", [entry["type"] for entry in entries])
        self.assertEqual(host.get("sessions")["tokenLimit"], 400)

    def test_the_model_sees_only_the_last_turns_or_tokens(self):
        host = self.host("--max-turns", "2")
        session = host.chat("one")[1]["sessionId"]
        for words in ("two", "three"):
            said = host.chat(words, session)[0]
        self.assertIn("I remember 2 of your messages", said)
        self.assertEqual(len(host.talk(session)), 6)
        host.kill(signal.SIGTERM)
        host = self.host("--max-tokens", "100")
        host.chat("four " * 50, session)
        self.assertIn("I remember 1 of your messages", host.chat("five " * 50, session)[0])
        host.kill(signal.SIGTERM)
        host = self.host("--keep-messages", "3")
        self.assertIn("I remember 2 of your messages", host.chat("six", session)[0])

    def test_without_auto_save_conversations_are_stored_at_the_end(self):
        for more, kept in (((), True), (("--no-save-on-exit",), False)):
            self.store = self.folder / f"store-{kept}"
            host = self.host("--no-auto-save", *more)
            done = host.chat("one")[1]
            host.chat("two", done["sessionId"])
            self.assertFalse(done["stored"])
            self.assertEqual(len(host.get("sessions")["sessions"]), 1)
            self.assertEqual(list(self.store.rglob("*.jsonl")), [])
            self.assertEqual(host.kill(signal.SIGTERM), 0)
            host = self.host()
            self.assertEqual([row["id"] for row in host.get("sessions")["sessions"]], [done["sessionId"]] if kept else [])
            if kept:
                self.assertEqual([words for role, words in host.talk(done["sessionId"]) if role == "user"], ["one", "two"])
            host.kill(signal.SIGTERM)

    def test_in_zeroclaws_table_a_summary_comes_before_the_message_that_is_answered(self):
        file = self.folder / "sessions.db"
        self.store = f"sqlite:{file}"
        host = self.host("--profile", "zeroclaw", "--threshold", "300")
        session = host.chat("first " * 100)[1]["sessionId"]
        for i in range(6):
            host.chat(f"message {i} " * 60, session)
        host.kill(signal.SIGTERM)
        with sqlite3.connect(file) as database:
            rows = database.execute("SELECT id, role, content FROM session_messages WHERE session_id = ? ORDER BY id",
                                    (session,)).fetchall()
            (boundary,) = database.execute("SELECT value_json FROM session_state WHERE session_id = ? AND key LIKE '%compaction%'",
                                           (session,)).fetchone()
        summaries = [i for i, row in enumerate(rows) if row[2].startswith("[Session Compaction Summary]")]
        self.assertTrue(summaries, rows)
        for i in summaries:  # a whole turn on both sides: a loader that joins neighbours of one role joins nothing to it
            self.assertEqual([row[1] for row in rows[i - 2:i + 2]], ["user", "assistant", "assistant", "user"])
        boundary = json.loads(boundary)
        boundary = boundary["after_message_id"] if isinstance(boundary, dict) else int(boundary)
        tail = [row for row in rows if row[0] > boundary]
        self.assertTrue(tail[0][2].startswith("[Session Compaction Summary]"), tail)
        self.assertEqual([row[1] for row in tail], ["assistant", *["user", "assistant"] * ((len(tail) - 1) // 2)])


class Channels(HostTest):
    def test_the_administrator_sees_the_channels_of_all_agents(self):
        host = self.host("--agent", "main", "--agent", "other", "--user", "bot=b-token", "--gateway", "bot")
        for agent, session, sender in (("main", "telegram-42", "ada"), ("main", "web-shop", "eve"), ("other", "telegram-7", "")):
            host.chat(f"hello from {session}", session, token="b-token", agent=agent, **({"sender": sender} if sender else {}))
        rows = host.get("/api/convlogs", token="admin")["channels"]
        self.assertEqual([(row["agentId"], row["channelId"], row["messageCount"]) for row in rows],
                         [("main", "telegram-42", 2), ("main", "web-shop", 2), ("other", "telegram-7", 2)])
        of = lambda query: [row["channelId"] for row in host.get("/api/convlogs?" + query, token="admin")["channels"]]  # noqa: E731
        self.assertEqual(of("agent=other"), ["telegram-7"])
        self.assertEqual(of("type=telegram"), ["telegram-42", "telegram-7"])
        self.assertEqual(of("type=telegram&agent=main"), ["telegram-42"])
        self.assertEqual(of("agent=nobody"), [])
        self.refused(host.ask("GET", "/api/convlogs"), 403)
        self.refused(host.ask("GET", "/api/convlogs", token=None), 401)
        self.refused(host.ask("POST", "/api/convlogs", {}, token="admin"), 405)
        messages = host.get("convlogs/telegram-42", token="admin")["messages"]
        self.assertEqual([(m["role"], m.get("sender")) for m in messages], [("assistant", None), ("user", "ada")])
        unnamed = host.get("convlogs/telegram-7", token="admin", agent="other")["messages"]
        self.assertEqual([(m["role"], m.get("sender")) for m in unnamed], [("assistant", None), ("user", "bot")])

    def test_only_a_gateway_names_a_sender(self):
        host = self.host("--user", "bot=b-token", "--gateway", "bot")
        self.assertIn("only a gateway", self.refused(host.begin("x", sender="ada"), 400))
        self.refused(host.begin("x", "web-1", token="b-token", sender="x" * 201), 400)
        self.refused(host.begin("x", "web-1", token="b-token", sender=7), 400)
        self.assertEqual(host.get("sessions")["sessions"], [])


if __name__ == "__main__":
    unittest.main()
