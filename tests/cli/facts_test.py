# SPDX-License-Identifier: MIT
"""log, last, info, path, set, rename, label, archive, restore, rewind: the facts of a session, and changing them."""
import json
import pathlib
import re
import unittest

from support import PI, ProgramTest, texts


class Facts(ProgramTest):
    def talk(self):
        session = self.new("--id", "talk", "--key", "k:1")
        self.ids = [self.say(session, role, text) for role, text in
                    (("user", "one"), ("assistant", "two"), ("user", "three"), ("assistant", "```sh\nls\n```"))]
        return session

    def history(self, session):
        return texts(self.ok("history", session).json["messages"])

    def test_log_numbers_every_raw_line(self):
        file = self.fixture("branches_labels.jsonl")
        lines = file.read_text().splitlines()
        rows = self.ok("log", file, "--json").json["entries"]
        self.assertEqual([row["bytes"] for row in rows], [len(line.encode()) for line in lines])
        self.assertEqual([row["number"] for row in rows], list(range(len(lines))))
        self.assertEqual([row["id"] for row in rows[1:]], [json.loads(line)["id"] for line in lines[1:]])
        self.assertEqual(rows[-1]["end"], file.stat().st_size)
        plain = [row.split("\t") for row in self.ok("log", file).out.splitlines()]
        self.assertEqual([(r[0], r[1], r[4]) for r in plain], [(str(r["number"]), r["id"], str(r["bytes"])) for r in rows])
        self.assertEqual(self.ok("log", file, "-n", "2").out.splitlines(), ["\t".join(r) for r in plain[-2:]])
        self.assertEqual({r["kind"] for r in self.ok("log", file, "--type", "user", "--json").json["entries"]}, {"user"})

    def test_log_of_a_format_without_ids_names_entries_by_their_place(self):
        file = self.folder / "panel.jsonl"
        first = '{"type":"session","version":3,"agentId":"a","createdAt":1708300000000}\n'
        file.write_text(first + '{"type":"message","message":{"role":"user","content":"q"},"timestamp":1708300001000}\n')
        rows = self.ok("log", file, "--json").json["entries"]
        self.assertEqual(rows[1]["id"], f"@{file.stat().st_size - 1}")

    def test_log_reports_damage_and_continues(self):
        file = self.fixture("edge_malformed_middle.jsonl")
        run = self.ok("log", file, "--json")
        self.assertGreater(run.json["damaged"], 0)
        self.assertIn("damaged place", run.err)

    def test_last_is_the_text_of_the_last_answer_or_its_code(self):
        session = self.talk()
        self.assertEqual(self.ok("last").out, "```sh\nls\n```\n")
        self.assertEqual(self.ok("last", session, "--code").out, "ls\n")
        self.assertEqual(self.ok("last", session, "--leaf", self.ids[2]).out, "two\n")
        self.fails(3, "last", session, "--leaf", self.ids[2], "--code")
        self.fails(3, "last", self.new())

    def test_info_prints_all_facts(self):
        session = self.talk()
        self.ok("set", session, 'state.budget={"eur":1200}', "state.city=Berlin", "title=Plan")
        facts = self.ok("info", session, "--json").json
        self.assertEqual((facts["id"], facts["key"], facts["title"], facts["messages"], facts["dialect"]),
                         ("talk", "k:1", "Plan", 4, "native"))
        self.assertEqual(facts["state"], {"budget": {"eur": 1200}, "city": "Berlin"})
        self.assertEqual(pathlib.Path(facts["path"]), self.file_of(session))
        self.assertEqual(facts["end"], self.file_of(session).stat().st_size)
        self.assertIn("title\tPlan\n", self.ok("info", session).out)
        store = self.ok("info", "--json").json
        self.assertEqual((store["engine"], store["sessions"], store["messages"]), ("file", 1, 4))

    def test_path_is_where_the_file_is(self):
        session = self.talk()
        self.assertEqual(self.ok("path", session).out, f"{self.file_of(session)}\n")
        self.assertEqual(self.ok("path").out, f"{self.store}\n")
        store = f"sqlite:{self.folder}/s.db"
        self.ok("new", "--store", store, "--id", "there")
        self.assertEqual(self.ok("path", "--store", store).out, f"{store}\n")
        self.assertIn("no file of its own", self.fails(2, "path", "there", "--store", store).err)

    def test_set_changes_title_state_and_archive_mark(self):
        session = self.talk()
        before = self.file_of(session).read_bytes()
        self.ok("set", session, "title=Ünïcode ✓", "state.n=5", "state.f=5.0", "state.text=five", "archived=true")
        facts = self.ok("info", session, "--json").json
        self.assertEqual((facts["title"], facts["archived"]), ("Ünïcode ✓", True))
        self.assertEqual(facts["state"], {"n": 5, "f": 5.0, "text": "five"})
        self.ok("set", session, "--unset", "state.n", "--unset", "title", "archived=false")
        facts = self.ok("info", session, "--json").json
        self.assertNotIn("n", facts["state"])
        self.assertEqual((facts["title"], facts["archived"]), ("one", False))
        self.assertTrue(self.file_of(session).read_bytes().startswith(before))
        self.assertEqual(self.history(session), ["one", "two", "three", "```sh\nls\n```"])

    def test_set_stores_nothing_of_an_invalid_change(self):
        session = self.talk()
        before = self.file_of(session).read_bytes()
        for bad in (["key=x"], ["title=ok", "colour=x"], ["state.=x"], ["archived=perhaps"], ["title"], [], ["title=\udcff"],
                    ["--unset", "archived"]):
            self.assertIn("hint: ", self.fails(2, "set", session, *bad).err)
        self.assertEqual(self.file_of(session).read_bytes(), before)
        self.assertIn("fork", self.fails(2, "set", session, "user=ada").err)

    def test_a_copy_may_have_another_first_line(self):
        session = self.talk()
        self.ok("fork", session, "--id", "hers", "--user", "ada", "--key", "k:2", "--title", "Hers")
        facts = self.ok("info", "hers", "--json").json
        self.assertEqual((facts["user"], facts["key"], facts["title"], facts["parent_session"]), ("ada", "k:2", "Hers", "talk"))
        self.assertIsNone(self.ok("info", self.ok("fork", session).out.strip(), "--json").json["key"])

    def test_rename_and_label(self):
        session = self.talk()
        self.ok("rename", session, "A title")
        self.ok("label", session, self.ids[1], "checkpoint")
        row = self.ok("ls", "--json").json["sessions"][0]
        self.assertEqual((row["title"], row["labels"]), ("A title", {self.ids[1]: "checkpoint"}))
        self.ok("label", session, self.ids[1], "--remove")
        self.assertEqual(self.ok("ls", "--json").json["sessions"][0]["labels"], {})
        self.assertIn("there is no entry 'nope'", self.fails(3, "label", session, "nope", "x").err)
        for bad in ([], ["x", "--remove"], [""]):
            self.fails(2, "label", session, self.ids[1], *bad)

    def test_archived_sessions_come_back(self):
        session, other = self.talk(), self.new("--id", "other")
        self.assertEqual(self.ok("archive", session, other).out, "talk\nother\n")
        self.assertEqual(self.ok("ls").out, "")
        size = self.file_of(session).stat().st_size
        self.ok("archive", session)
        self.assertEqual(self.file_of(session).stat().st_size, size)  # the notice appears once
        self.assertEqual(self.ok("restore", session, "--json").json["restored"], ["talk"])
        self.assertEqual(self.ok("ls").out.split("\t")[0], "talk")

    def test_a_removed_session_comes_back_out_of_the_trash_by_import(self):
        session = self.talk()
        before = self.history(session)
        self.ok("rm", session, "--yes")
        hint = self.fails(3, "restore", session).err.split("hint: ")[1]
        command = hint.split("sessionkit ")[1].split()
        self.ok(*command)
        self.assertEqual(self.history(session), before)

    def test_rewind_continues_from_an_earlier_entry_and_loses_nothing(self):
        session = self.talk()
        before = self.file_of(session).read_bytes()
        leaf = self.ok("rewind", session, self.ids[1]).out.strip()
        self.assertTrue(self.file_of(session).read_bytes().startswith(before))
        self.assertEqual(self.history(session), ["one", "two"])
        self.assertEqual(self.ok("ls", "--json").json["sessions"][0]["leaf"], leaf)
        self.say(session, "user", "otherwise")
        self.assertEqual(self.history(session), ["one", "two", "otherwise"])
        self.assertEqual(texts(self.ok("history", session, "--leaf", self.ids[3]).json["messages"])[2], "three")
        self.ok("rewind", session, self.ids[3], "--summary", "-", stdin="tried otherwise")
        self.assertIn("tried otherwise", self.ok("history", session).out)
        self.ok("verify", session)

    def test_rewind_takes_back_what_was_said_lately(self):
        session = self.new()
        self.say(session, "user", "old")
        old = self.ok("tree", session).out.splitlines()[-1].split("\t")[0]
        file = self.file_of(session)
        file.write_text(re.sub(r'"timestamp":"20\d\d', '"timestamp":"2025', file.read_text()))
        self.fails(3, "rewind", session, "--back", "1h")  # nothing is newer
        self.say(session, "user", "new")
        self.assertEqual(self.ok("rewind", session, "--back", "1h", "--json").json["to"], old)
        self.assertNotIn("new", self.ok("show", session).out)
        self.assertIn("older", self.fails(3, "rewind", self.new(), "--back", "1h").err)
        for wrong in (["--back", "30"], ["--back", "1h", old], []):
            self.fails(2, "rewind", session, *wrong)

    def test_rewind_says_what_it_took_back_and_how_to_return(self):
        session = self.new()
        first = self.say(session, "user", "which river?")
        self.say(session, "assistant", "the Rhine")
        self.say(session, "user", "and its length?")
        last = self.say(session, "assistant", "1230 km")
        run = self.ok("rewind", session, first)
        self.assertIn('took back 1 turn, from "and its length?" on\n', run.err)
        self.assertNotIn("1230", self.ok("show", session).out)
        back = run.err.partition("to return: sessionkit ")[2].split()
        self.assertEqual(back, ["rewind", session, last])
        self.ok(*back)
        self.assertIn("1230", self.ok("show", session).out)

    def test_the_mark_of_a_rewind_is_nothing_that_was_said(self):
        session = self.new()
        first = self.say(session, "user", "which river?")
        self.say(session, "assistant", "the Rhine")
        self.ok("rewind", session, first)
        for line in (["show"], ["export"], ["export", "--to", "html"]):
            self.assertNotIn("sessionkit.rewind", self.ok(*line, session).out, line)
            self.assertIn("sessionkit.rewind", self.ok(*line, session, "--hidden").out, line)
        self.assertIn("sessionkit.rewind", self.ok("export", session, "--to", "jsonl").out)

    def test_rewind_is_refused_where_a_format_has_no_branches(self):
        self.new("--id", "flat", "--profile", "claw0")
        self.say("flat", "user", "x")
        entry = self.ok("log", "flat", "--json").json["entries"][-1]["id"]
        self.say("flat", "assistant", "y")
        run = self.fails(2, "rewind", "flat", entry)
        self.assertIn("no branches", run.err)

    def test_files_are_changed_as_sessions_are(self):
        file = self.fixture("simple_chat.jsonl")
        self.ok("rename", file, "Renamed")
        self.assertEqual(self.ok("info", file, "--json").json["title"], "Renamed")
        (self.folder / "empty.jsonl").touch()
        self.assertIn(self.run_cli("rename", self.folder / "empty.jsonl", "x").code, (2, 5))
        self.assertEqual((self.folder / "empty.jsonl").stat().st_size, 0)
        self.assertEqual(self.ok("log", PI / "simple_chat.jsonl", "-n", "1").out.split("\t")[1], "1ac286af")


if __name__ == "__main__":
    unittest.main()
