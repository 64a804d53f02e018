# SPDX-License-Identifier: MIT
"""The routes of the chat server: lists, methods, parameters, and problem documents."""
import unittest

from host import HostTest, wait_for

SLOW = {"when": "slowly", "text": "word " * 150, "delay_ms": 10, "chunk": 5}


class Lists(HostTest):
    def titles(self, host, query, most_pages=100):
        """All pages of a list, and their number."""
        titles, pages, cursor = [], 0, ""
        while cursor is not None and pages < most_pages:
            page = host.get(f"sessions?{query}&cursor={cursor}")
            titles += [row["title"] for row in page["sessions"]]
            cursor, pages = page["next"], pages + 1
        return titles, pages

    def test_a_search_finds_the_oldest_page_by_page(self):
        host = self.host()
        for i in range(25):
            host.chat("Über Straßen" if i == 0 else f"Topic number {i}")
        everything = [f"Topic number {i}" for i in range(24, 0, -1)] + ["Über Straßen"]
        self.assertEqual(self.titles(host, "limit=10"), (everything, 3))
        self.assertEqual(self.titles(host, "search=NUMBER%202")[0], [title for title in everything if "number 2" in title])
        self.assertEqual(self.titles(host, "search=%C3%BCBER")[0], ["Über Straßen"])
        found, pages = self.titles(host, "limit=1&search=stra%C3%9Fen")
        self.assertEqual(found, ["Über Straßen"])
        self.assertEqual(pages, 2)  # one request examines a limited number
        self.assertEqual(self.titles(host, "search=nothing%20of%20this")[0], [])


class Requests(HostTest):
    def test_a_method_that_a_path_has_not_is_405(self):
        host = self.host()
        for method, path, allowed in (("PUT", "sessions", "GET"), ("GET", "chat", "POST"), ("PUT", "sessions/x", "GET, PATCH, DELETE"),
                                      ("POST", "/", "GET, HEAD")):
            answer = host.ask(method, path)
            self.assertEqual(answer.headers["Allow"], allowed)
            self.refused(answer, 405)
        self.refused(host.ask("GET", "/api/nothing"), 404)

    def test_parameters_that_make_no_sense_are_refused(self):
        host = self.host()
        for query in ("limit=-1", "limit=abc", "limit=0", "limit=7x", "limit=99999999999999999999999"):
            self.assertEqual(self.refused(host.ask("GET", f"sessions?{query}"), 400), "'limit' is not a number above 0")
        self.assertEqual(self.refused(host.ask("GET", "sessions?cursor=nonsense"), 400), "'cursor' is not the 'next' of a list")
        self.refused(host.ask("GET", "convlogs/web-x?from=x", token="admin"), 400)
        self.assertEqual(host.get("sessions?limit=5000")["sessions"], [])

    def test_the_scheme_of_a_token_may_be_written_as_one_likes(self):
        host = self.host()
        for scheme, status in (("bearer", 200), ("BEARER", 200), ("Basic", 401), ("Bearersecret", 401)):
            self.assertEqual(host.ask("GET", "sessions", token=None, headers={"Authorization": scheme + " secret"}).status, status)

    def test_a_request_without_an_announced_body_has_none(self):
        host = self.host(*self.scripted(SLOW))
        answer = host.begin("slowly")
        session, events = answer.headers["X-Session-ID"], answer.events()
        wait_for(lambda: next(events)["type"] == "text_delta")
        connection = host.ask("GET", "sessions").connection  # a client of its own adds a length to each POST
        connection.putrequest("POST", f"/api/agents/main/sessions/{session}/cancel")
        connection.putheader("Authorization", "Bearer secret")
        connection.endheaders()
        reply = connection.getresponse()
        self.assertEqual((reply.status, reply.read()), (200, b'{"cancelled":true,"dropped":0}'))
        connection.close()
        self.assertEqual(list(events)[-1]["end"], "interrupted")  # so the host did not wait for a body: the answer takes 1.5 s

    def test_a_form_of_several_parts_is_415(self):
        host = self.host()
        session = host.chat("hello")[1]["sessionId"]
        form = '--x\r\nContent-Disposition: form-data; name="message"\r\n\r\nhello\r\n--x--\r\n'
        for kind in ("multipart/form-data; boundary=x", "Multipart/Form-Data", "multipart/mixed; boundary=x"):
            for method, path in (("POST", "chat"), ("PATCH", f"sessions/{session}"), ("POST", f"sessions/{session}/cancel")):
                detail = self.refused(host.ask(method, path, form, headers={"Content-Type": kind}), 415)
                self.assertEqual(detail, "a body is JSON, not a form of several parts")
            self.assertEqual(host.ask("POST", "chat", form, token=None, headers={"Content-Type": kind}).status, 401)
        self.assertEqual(len(host.get("sessions")["sessions"]), 1)

    def test_problems_name_no_path_and_give_no_advice_to_programmers(self):
        host = self.host()
        session = host.chat("hello")[1]["sessionId"]
        details = [self.refused(host.ask("GET", "convlogs/web-x", token="admin"), 404),
                   self.refused(host.ask("POST", "chat", b'\xff\xfe{"message"'), 400),
                   self.refused(host.begin("x", "../x"), 400)]
        (transcript,) = self.store.rglob(f"{session}.jsonl")
        transcript.unlink()
        transcript.mkdir()
        details.append(self.refused(host.ask("GET", f"sessions/{session}"), 500))
        for detail in details:
            self.assertNotIn(str(self.folder), detail)
            self.assertNotIn("jsonl", detail)
            self.assertNotIn("::", detail)
        host.kill()
        self.assertIn(str(transcript), host.complaints)  # the operator can read all of it


if __name__ == "__main__":
    unittest.main()
