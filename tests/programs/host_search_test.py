# SPDX-License-Identifier: MIT
"""The search in everything that was said, and the way back from the trash."""
import unittest

from host import HostTest


class Search(HostTest):
    def hits(self, host, words, **options):
        found, cursor = [], ""
        while cursor is not None:
            page = host.get(f"search?q={words}&cursor={cursor}", **options)
            found += page["hits"]
            cursor = page["next"]
        return found

    def test_everything_that_was_said_is_found_on_all_branches(self):
        host = self.host()
        first = host.chat("the Blue whale")[1]["sessionId"]
        second = host.chat("something else")[1]["sessionId"]
        host.chat("a blue bird", first, after="")
        hits = self.hits(host, "BLUE")
        self.assertEqual([(hit["sessionId"], hit["role"], hit["match"]) for hit in hits],
                         [(first, "assistant", "blue"), (first, "user", "blue"), (first, "assistant", "Blue"), (first, "user", "Blue")])
        self.assertEqual((hits[1]["before"], hits[1]["after"], hits[1]["title"]), ("a ", " bird", "the Blue whale"))
        shown = [entry["id"] for entry in host.get(f"sessions/{first}")["entries"]]
        self.assertEqual([hit["entry"] in shown for hit in hits], [True, True, False, False])
        self.assertEqual({hit["sessionId"] for hit in self.hits(host, "else")}, {second})
        self.assertEqual(self.hits(host, "green"), [])

    def test_a_long_search_goes_page_by_page(self):
        host = self.host()
        sessions = [host.chat(f"needle {i}")[1]["sessionId"] for i in range(30)]
        page = host.get("search?q=needle&limit=7")
        self.assertEqual(len(page["hits"]), 8)  # two in each session
        self.assertIsNotNone(page["next"])
        self.assertEqual([hit["sessionId"] for hit in self.hits(host, "needle")][::2], sessions[::-1])
        self.refused(host.ask("GET", "search?q="), 400)
        self.refused(host.ask("GET", "search?q=a&cursor=nonsense"), 400)

    def test_people_find_only_their_own_words(self):
        host = self.host("--user", "ann=a", "--user", "bob=b")
        host.chat("our secret", token="a")
        self.assertEqual(len(self.hits(host, "secret", token="a")), 2)
        self.assertEqual(self.hits(host, "secret", token="b"), [])


class Trash(HostTest):
    def test_a_removed_session_comes_back_as_it_was(self):
        for profile in ("native", "ai_panel", "blades"):
            with self.subTest(profile):
                self.store = self.folder / profile
                host = self.host("--profile", profile)
                session = host.chat("keep me")[1]["sessionId"]
                before = host.get(f"sessions/{session}")
                self.assertTrue(host.get("sessions")["hasTrash"])
                for _ in range(2):
                    self.assertEqual(host.ask("DELETE", f"sessions/{session}").status, 204)
                    self.assertEqual(host.get("sessions")["sessions"], [])
                    self.assertEqual(host.ask("POST", f"sessions/{session}/restore", {}).json()["id"], session)
                    self.assertEqual(host.get(f"sessions/{session}")["entries"], before["entries"])
                self.assertIn("remember 2", host.chat("and on", session)[0])
                self.refused(host.ask("POST", f"sessions/{session}/restore", {}), 404)
                host.kill()

    def test_the_trash_of_another_person_is_closed(self):
        host = self.host("--user", "ann=a", "--user", "bob=b")
        session = host.chat("mine", token="a")[1]["sessionId"]
        host.ask("DELETE", f"sessions/{session}", token="a").close()
        self.refused(host.ask("POST", f"sessions/{session}/restore", {}, token="b"), 404)
        self.refused(host.ask("POST", "sessions/other/restore", {}, token="a"), 404)
        self.assertEqual(host.ask("POST", f"sessions/{session}/restore", {}, token="a").status, 200)

    def test_a_store_without_such_a_trash_says_so(self):
        for store, profile in (("memory:", "native"), (self.folder / "claw0", "claw0")):
            self.store = store
            host = self.host("--profile", profile)
            session = host.chat("gone")[1]["sessionId"]
            self.assertFalse(host.get("sessions")["hasTrash"])
            host.ask("DELETE", f"sessions/{session}").close()
            self.refused(host.ask("POST", f"sessions/{session}/restore", {}), 404)
            host.kill()


if __name__ == "__main__":
    unittest.main()
