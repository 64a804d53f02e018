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

    def test_it_prints_its_version_and_starts_nothing(self):
        done = subprocess.run([CHAT_HOST, "--version"], capture_output=True, text=True, timeout=20, check=True)
        self.assertRegex(done.stdout, r"^chat_host \d+\.\d+\.\d+\n$")

    def test_numbers_that_make_no_sense_are_refused(self):
        for option, value in (("--port", 70000), ("--port", -1), ("--connections", 0), ("--turns", 0), ("--body-limit", 0)):
            self.assertIn(option, self.refuses(option, value))

    def test_an_unknown_option_has_a_suggestion_if_one_is_near(self):
        for words, said in ((["--stor", "x"], "there is no option --stor: did you mean --store?"),
                            (["--portt=8080"], "there is no option --portt: did you mean --port?"),
                            (["--nothing-like-it"], "there is no option --nothing-like-it\n")):
            self.assertTrue(self.refuses(*words).startswith(said), self.refuses(*words))
        self.assertIn("word", self.refuses("word"))

    def test_each_token_is_one_person_and_each_name_too(self):
        for arguments in (("--user", "ada=t", "--user", "bob=t"), ("--token", "t", "--admin-token", "t"),
                          ("--token", "t", "--user", "ada=t")):
            self.assertIn("two of them are the same", self.refuses(*arguments, "--port", 0))
        self.assertIn("'ada' is already in use", self.refuses("--user", "ada=a", "--user", "ada=b"))
        self.assertIn("'admin' is already in use", self.refuses("--user", "admin=a", "--admin-token", "b"))

    def users(self, text, mode=0o600):
        path = self.folder / "users"
        path.write_text(text)
        path.chmod(mode)
        return path

    def test_tokens_in_a_file_are_in_no_list_of_processes(self):
        text = "# people\n\nada=a-token\n  bob = the=token \r\n"
        for given, env in ((["--users-file", self.users(text)], None), ([], {"CHAT_HOST_USERS_FILE": str(self.users(text))})):
            host = self.host(*given, "--gateway", "ada", env=env)
            for token, status in (("a-token", 200), ("the=token", 200), ("token", 401), ("ada=a-token", 401), ("people", 401)):
                self.assertEqual(host.ask("GET", "sessions", token=token).status, status, token)
            self.assertEqual(host.chat("hello", "telegram-1", token="a-token")[1]["sessionId"], "telegram-1")
            with open(f"/proc/{host.process.pid}/cmdline", encoding="utf-8") as file:
                self.assertNotIn("a-token", file.read())
            host.kill()

    def test_a_file_of_users_is_refused_with_its_line_and_without_its_tokens(self):
        for text, place, why in (("ada=t\n\nbob\n", ":3", "not of the form NAME=TOKEN"), ("  = t\n", ":1", "not of the form NAME=TOKEN"),
                                 ("#\nada= \n", ":2", "not of the form NAME=TOKEN"), ("ada=CANARY\nada=u", ":2", "'ada' is already in use"),
                                 ("ada=CANARY\nbob=CANARY\n", ":2", "two of them are the same")):
            path = self.users(text)
            said = self.refuses("--users-file", path)
            self.assertIn(f"{path}{place}: ", said)
            self.assertIn(why, said)
            self.assertNotIn("CANARY", said)
        self.assertIn("--user: not of the form NAME=TOKEN", self.refuses("--user", "CANARY"))
        self.assertIn("two of them are the same", self.refuses("--user", "bob=t", "--users-file", self.users("ada=t")))

    def test_a_file_of_users_that_others_can_read_is_refused(self):
        for mode in (0o640, 0o604, 0o620, 0o602, 0o644):
            path = self.users("ada=CANARY\n", mode)
            self.assertIn(f"{path}: others than its owner can read or write it; try chmod 600", self.refuses("--users-file", path))
        self.assertIn(f"{self.folder}: this is a directory", self.refuses("--users-file", self.folder))
        self.assertIn("none: cannot be read: No such file", self.refuses("--users-file", self.folder / "none"))

    def test_a_gateway_is_a_person_with_a_token(self):
        for name in ("bob", "admin", ""):
            said = self.refuses("--user", "ada=t", "--admin-token", "u", "--gateway", name)
            self.assertIn(f"neither --user nor --users-file has a '{name}'", said)

    def test_ephemeral_sessions_last_as_long_as_the_server_runs(self):
        host = self.host("--profile", "ephemeral")
        _, done = host.chat("I am Ada")
        self.assertEqual(host.chat("What did I say first?", done["sessionId"])[0], 'First you said: "I am Ada"')
        self.assertFalse(self.store.exists())


if __name__ == "__main__":
    unittest.main()
