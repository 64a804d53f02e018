# SPDX-License-Identifier: MIT
"""The meanings of a SESSION argument, and the ones it never has."""
import os
import shutil
import unittest

from support import PI, ProgramTest, texts


class Naming(ProgramTest):
    def test_a_session_is_found_by_id_prefix_key_age_and_path(self):
        older = self.new("--key", "main:cli:user", "--id", "aaaa-older")
        newer = self.new("--key", "telegram:42", "--id", "bbbb-newer")
        self.say(older, "user", "older")
        self.say(newer, "user", "newer")
        for name in (older, "aaaa-", "main:cli:user", "key:main:cli:user", "@-2", self.file_of(older)):
            self.assertEqual(texts(self.ok("history", name).json["messages"]), ["older"], name)
        for name in (newer, "bbbb", "telegram:42", "@last", "@-1"):
            self.assertEqual(texts(self.ok("history", name).json["messages"]), ["newer"], name)

    def test_a_session_is_found_by_its_title_unless_two_have_it(self):
        first = self.new("--id", "aaaa-first")
        self.say(first, "user", "mine")
        self.ok("rename", first, "TCP/IP by hand")
        for name in ("TCP/IP by hand", "mine"):  # before it was renamed, its title was what the user said first
            run = self.run_cli("history", name)
            self.assertEqual(run.code, 0 if name == "TCP/IP by hand" else 3, run)
        second = self.new("--id", "bbbb-second")
        self.ok("rename", second, "TCP/IP by hand")
        run = self.fails(2, "show", "TCP/IP by hand")
        self.assertIn(first, run.err)
        self.assertIn(second, run.err)
        self.assertIn('"code":"ambiguous"', self.fails(2, "show", "TCP/IP by hand", "--json").err)

    def test_a_prefix_of_two_ids_is_refused_and_both_are_named(self):
        self.new("--id", "same-one")
        self.new("--id", "same-two")
        run = self.fails(2, "show", "same")
        self.assertIn("same-one", run.err)
        self.assertIn("same-two", run.err)

    def test_a_prefix_of_less_than_four_characters_names_nothing(self):
        self.new("--id", "abcdef")
        self.fails(3, "show", "abc")
        self.ok("show", "abcd")

    def test_an_id_wins_over_a_key_and_a_key_over_a_prefix(self):
        self.say(self.new("--id", "talk", "--key", "other"), "user", "by id")
        self.say(self.new("--id", "talk-long", "--key", "talk"), "user", "by key")
        self.assertEqual(texts(self.ok("history", "talk").json["messages"]), ["by id"])
        self.assertEqual(texts(self.ok("history", "key:talk").json["messages"]), ["by key"])

    def test_missing_things_exit_with_3_and_a_hint(self):
        self.new("--id", "there")
        for name in ("nobody", "@-2", "key:nobody", "./no/such.jsonl"):
            run = self.fails(3, "history", name)
            self.assertIn(name, run.err)
        self.assertIn("hint: ", self.fails(3, "history", "nobody").err)

    def test_a_key_with_a_slash_is_found_where_there_is_no_such_file(self):
        session = self.new("--key", "a/b")
        self.say(session, "user", "by key")
        for name in ("a/b", "key:a/b"):
            self.assertEqual(texts(self.ok("history", name).json["messages"]), ["by key"], name)
            self.ok("verify", name)
        self.assertEqual(self.ok("rm", "a/b", "--dry-run").out, session + "\n")
        (self.folder / "a").mkdir()
        shutil.copyfile(PI / "simple_chat.jsonl", self.folder / "a" / "b")
        self.assertEqual(len(texts(self.ok("history", "a/b").json["messages"])), 4)  # the file wins
        self.assertEqual(texts(self.ok("history", "key:a/b").json["messages"]), ["by key"])

    def test_a_path_that_is_not_there_exits_with_3_and_names_the_key(self):
        for _ in ("without a store", "with one"):
            for verb in ("history", "verify", "show"):
                self.assertIn("key:no/such", self.fails(3, verb, "no/such").err)
            self.new()

    def test_at_last_is_explained(self):
        self.assertIn("@last is the session with the newest entry", " ".join(self.ok("--help").out.split()))

    def test_words_after_an_at_sign_that_mean_nothing_exit_with_2(self):
        self.new()
        for name in ("@", "@-0", "@-x", "@first"):
            self.fails(2, "show", name)

    def test_a_directory_is_named_as_one_with_a_way_in(self):
        folder = self.folder / "ro"
        folder.mkdir()
        for name, code in (("ro", 3), ("./ro", 6), (folder, 6)):
            for verb in ("show", "verify", "convert"):
                run = self.fails(code, verb, name, *(["--to", "flat"] if verb == "convert" else []))
                self.assertIn(f"'{name}' is a directory", run.err)
                self.assertIn(f"sessionkit ls --store {name}", run.err)

    def test_a_link_in_place_of_a_store_is_called_one(self):
        self.say(self.new(), "user", "x")
        link = self.folder / "link"
        link.symlink_to(self.store)
        run = self.fails(6, "ls", "--store", link)
        self.assertIn(f"{link}: a symbolic link; give the path of the directory that it leads to", run.err)

    def test_a_store_that_is_imported_gets_cp_as_a_hint(self):
        self.say(self.new(), "user", "x")
        run = self.fails(6, "import", self.store, "--store", self.folder / "other")
        self.assertIn(f"'{self.store}' is a directory, not a session", run.err)
        self.assertIn(f"hint: if it is a store: sessionkit cp {self.store} STORE", run.err)

    def test_a_session_in_place_of_the_store_gets_the_order_of_cp_as_a_hint(self):
        self.new("--key", "task")
        run = self.fails(3, "cp", "task", self.folder / "other")
        self.assertIn("sessionkit cp SRC DST SESSION", run.err)
        self.assertFalse((self.folder / "other").exists())

    def test_a_missing_entry_is_reported_by_the_names_that_were_typed(self):
        file = self.fixture("simple_chat.jsonl")
        session = self.new("--id", "mine")
        self.say(session, "user", "x")
        for args in (["show", file, "--leaf", "nope"], ["history", file, "--leaf", "nope"], ["diff", f"{file}@nope", file],
                     ["show", session, "--leaf", "nope"], ["context", session, "--leaf", "nope"],
                     ["fork", session, "--at", "nope"]):
            run = self.fails(3, *args)
            name = session if session in args else file
            self.assertIn(f"there is no entry 'nope' in '{name}'", run.err)
            self.assertIn(f"hint: see its entries: sessionkit tree {name}", run.err)
        for args in (["show", file, "--leaf", ""], ["history", file, "--leaf", ""], ["context", file, "--leaf", ""], ["fork", session, "--at", ""]):
            self.fails(2, *args)

    def test_a_directory_a_device_and_a_pipe_are_no_sessions(self):
        os.mkfifo(self.folder / "pipe.jsonl")
        for name in ("./", "/dev/null", "./pipe.jsonl"):
            self.assertIn(self.run_cli("history", name).code, (3, 6), name)

    def test_an_empty_name_names_nothing_not_even_a_session_without_a_key(self):
        """`rm "$ID"` when ID is not set."""
        self.new("--id", "plain")  # without a key
        self.say("plain", "user", "mine")
        before = self.file_of("plain").read_bytes()
        lines = ["show ID", "last ID", "history ID", "context ID", "log ID", "tree ID", "tail ID", "info ID", "path ID", "stats ID",
                 "search mine --in ID", "diff ID plain", "diff plain ID", "append ID --role user --text x", "fork ID",
                 "rewind ID e", "compact ID --dry-run", "set ID title=x", "rename ID x", "label ID e x", "archive plain ID",
                 "restore ID", "export ID", "convert ID --to flat", "cp STORE copies ID", "rm plain ID --yes", "verify ID", "doctor ID",
                 "prune --most 1 --yes --protect ID"]
        for name in ("", "key:"):
            for line in lines:
                with self.subTest(line, name=name):
                    words = {"ID": name, "STORE": self.store}
                    run = self.fails(2, *[words.get(word, word) for word in line.split()])
                    self.assertIn("names no session", run.err)
        self.assertEqual(self.file_of("plain").read_bytes(), before)
        self.assertFalse((self.folder / "copies").exists())
        self.store = self.folder / "nowhere"  # there is nothing to find, and the name is invalid anyway
        self.fails(2, "show", "")

    def test_a_missing_session_is_looked_for_in_the_titles(self):
        session = self.new("--title", "Memory leak in the resizer")
        self.new("--title", "Another talk")
        run = self.fails(3, "show", "memory LEAK")
        self.assertIn(f"did you mean:\n  {session}  Memory leak in the resizer\n", run.err)
        self.assertNotIn("Another", run.err)
        self.assertIn("sessionkit search -i TEXT", self.fails(3, "show", "whales").err)
        for _ in range(4):
            self.new("--title", "Memory of whales")
        self.assertIn("and 2 more", self.fails(3, "show", "memory").err)


if __name__ == "__main__":
    unittest.main()
