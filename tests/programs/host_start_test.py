# SPDX-License-Identifier: MIT
"""The chat server at its start: what it refuses, and its messages."""
import subprocess
import unittest

from host import CHAT_HOST, HostTest


class Start(HostTest):
    def refuses(self, *arguments):
        """Its message instead of listening; it ends at once."""
        done = subprocess.run([CHAT_HOST, "--store", "memory:", *map(str, arguments)], capture_output=True, text=True,
                              timeout=20, cwd=self.folder, env=self.environment())
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_a_port_has_one_server(self):
        host = self.host()
        said = self.refuses("--port", host.port, "--token", "other")
        self.assertIn(f"cannot listen at 127.0.0.1:{host.port}: another program has this port", said)
        self.assertEqual([host.ask("GET", "sessions").status for _ in range(8)], [200] * 8)
        host.restart()  # at the same port, at once

    def test_an_address_that_is_not_ours_is_named(self):
        self.assertIn("this machine has no such address; choose one with --host", self.refuses("--host", "192.0.2.1"))

    def test_numbers_that_make_no_sense_are_refused(self):
        for option, value in (("--port", 70000), ("--port", -1), ("--connections", 0), ("--turns", 0), ("--body-limit", 0)):
            self.assertIn(option, self.refuses(option, value))

    def test_each_token_is_one_person_and_each_name_too(self):
        for arguments in (("--user", "ada=t", "--user", "bob=t"), ("--token", "t", "--admin-token", "t"),
                          ("--token", "t", "--user", "ada=t")):
            self.assertIn("two of them are the same", self.refuses(*arguments, "--port", 0))
        self.assertIn("'ada' is already in use", self.refuses("--user", "ada=a", "--user", "ada=b"))
        self.assertIn("'admin' is already in use", self.refuses("--user", "admin=a", "--admin-token", "b"))

    def test_ephemeral_sessions_last_as_long_as_the_server_runs(self):
        host = self.host("--profile", "ephemeral")
        _, done = host.chat("I am Ada")
        self.assertEqual(host.chat("What did I say first?", done["sessionId"])[0], 'First you said: "I am Ada"')
        self.assertFalse(self.store.exists())


if __name__ == "__main__":
    unittest.main()
