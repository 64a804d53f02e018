# SPDX-License-Identifier: MIT
"""Hostile and broken clients of the chat server: invalid requests, large bodies, strange text, and slow connections."""
import gzip
import socket
import unittest

from host import HostTest

SLOW = {"when": "slowly", "text": "word " * 150, "delay_ms": 10, "chunk": 5}


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
