# SPDX-License-Identifier: MIT
"""Slow clients of the chat server keep nobody else waiting."""
import select
import socket
import unittest

from host import HostTest

SLOW_BODY = b"POST /api/agents/main/chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\nContent-Length: 99\r\n\r\n"


class Slow(HostTest):
    def nobody_waits(self, begin, byte):
        """300 clients send `begin`, and a byte now and then, so that no connection is silent."""
        host = self.host()
        slow = []
        for _ in range(300):
            slow.append(socket.create_connection(("127.0.0.1", host.port)))
            self.addCleanup(slow[-1].close)
            slow[-1].sendall(begin)
        for _ in range(3):
            self.assertEqual(host.ask("GET", "/", token=None).text()[:9], "<!DOCTYPE")
            self.assertEqual(host.get("sessions?search=none")["sessions"], [])
            self.assertIn("hello", host.chat("hello")[0])
            # A host that waited for them would have answered after it gave up one of them.
            self.assertEqual(select.select(slow, [], [], 0)[0], [])
            for each in slow:
                each.sendall(byte)

    def test_three_hundred_slow_headers_keep_nobody_waiting(self):
        self.nobody_waits(b"G", b"E")

    def test_three_hundred_slow_bodies_keep_nobody_waiting(self):
        self.nobody_waits(SLOW_BODY, b" ")


if __name__ == "__main__":
    unittest.main()
