# SPDX-License-Identifier: MIT
"""What a person sees: dates, times, findings that are counted, charts, progress. Golden screens at two sizes."""
import datetime
import json
import os
import re
import shutil
import stat
import unittest

from support import HERE, PI, ProgramTest

PLAIN = {"NO_COLOR": "1", "PAGER": "cat"}
SCREENS = {
    "ls": ["ls"], "show": ["show", "simple_chat"], "show_tools": ["show", "tool_calls", "--thinking"], "stats": ["stats"],
    "doctor": ["doctor"], "verify": ["verify"], "tail": ["tail", "simple_chat", "-n", "2"],
    "tree": ["tree", "branches_labels"], "tree_tools": ["tree", "tool_calls"], "search": ["search", "meadow"],
    "search_tools": ["search", "velvet", "--in", "tool_calls"], "info": ["info", "simple_chat"], "log": ["log", "simple_chat"],
    "context": ["context", "tool_calls", "--explain"], "help": ["--help"], "help_stats": ["stats", "--help"],
    "no_such_option": ["stats", "--jsno"], "trash": ["empty-trash", "--dry-run"],
}


class Screens(ProgramTest):
    def setUp(self):
        super().setUp()
        self.store.mkdir(mode=0o700)
        for name in ("simple_chat", "branches_labels", "tool_calls", "edge_torn_tail", "edge_malformed_middle"):
            shutil.copyfile(PI / f"{name}.jsonl", self.store / f"{name}.jsonl")
            (self.store / f"{name}.jsonl").chmod(0o600)
        for number in range(5):
            (self.store / f"note{number}.txt").write_text("x")
        shutil.copyfile(PI / "simple_chat.jsonl", self.store / "gone.jsonl")
        self.ok("rm", "gone", "--yes")
        self.ok("reindex")

    def test_golden_screens_at_two_sizes(self):
        for columns, rows in ((80, 24), (200, 60)):
            text = ""
            for name, args in SCREENS.items():
                code, shown = self.on_terminal(*args, "--no-pager", env=PLAIN, size=(columns, rows))
                text += f"$ sessionkit {' '.join(args)}\n{shown}exit {code}\n"
            text = text.replace(str(self.folder), "/home/ada")
            path = HERE / "golden" / f"people_{columns}x{rows}.txt"
            if os.environ.get("SESSIONKIT_UPDATE_GOLDEN"):
                path.write_text(text)
            self.assertEqual(text, path.read_text())

    def test_a_dumb_terminal_gets_ascii_bars_and_a_good_one_blocks(self):
        for env in ({"TERM": "dumb", "PAGER": "cat"}, PLAIN):
            shown = self.on_terminal("stats", "--no-pager", env=env, size=(80, 24))[1]
            self.assertIn("####", shown)
            self.assertTrue(shown.isascii(), shown)
        shown = self.on_terminal("stats", "--no-pager", size=(80, 24))[1]
        self.assertIn("████", shown)
        self.assertNotIn("#", shown)

    def test_the_longest_bar_is_the_greatest_cost_and_bars_are_in_proportion(self):
        shown = self.on_terminal("stats", "--no-pager", env=PLAIN, size=(120, 40))[1]
        rows = re.findall(r"^(\d{4}-\d\d-\d\d)  (#*) +(\d+) +\S+ +\$([\d.]+)$", shown, re.MULTILINE)
        self.assertGreater(len(rows), 2, shown)
        longest = max(len(bar) for _, bar, _, _ in rows)
        most = max(float(cost) for *_, cost in rows)
        for _, bar, _, cost in rows:
            self.assertLessEqual(abs(len(bar) - float(cost) / most * longest), 1)
        table = [line.split("\t") for line in self.ok("stats").out.splitlines()]
        self.assertEqual(sum(int(row[3]) for row in table[:-1]), sum(int(answers) for _, _, answers, _ in rows))


class Charts(ProgramTest):
    """Two projects and two models: what each of them cost is known here, and not computed by the program."""

    ANSWERS = [("/home/ada/heron", "claude-sonnet-4-5", 3.0), ("/home/ada/heron", "claude-haiku-4-5", 1.0),
               ("/home/ada/otter", "claude-haiku-4-5", 4.0)]

    def setUp(self):
        super().setUp()
        self.store.mkdir(mode=0o700)
        head, asked, answered, *_ = [json.loads(line) for line in (PI / "simple_chat.jsonl").read_text().splitlines()]
        for number, (project, model, dollars) in enumerate(self.ANSWERS):
            message = json.loads(json.dumps(answered["message"]))
            message["model"] = model
            message["usage"]["cost"]["total"] = dollars
            lines = [{**head, "id": f"talk-{number}", "cwd": project}, asked, {**answered, "message": message}]
            (self.store / f"talk-{number}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    def bars(self, heading):
        """Name, bar and cost of each row of a chart."""
        shown = self.on_terminal("stats", "--no-pager", env=PLAIN, size=(120, 40))[1]
        chart = re.search(rf"^{heading} .*\n((?:.+\n)+)", shown, re.MULTILINE)
        self.assertIsNotNone(chart, shown)
        return re.findall(r"^(\S+) +(#*) .*\$([\d.]+)$", chart[1], re.MULTILINE)

    def test_projects_and_models_have_bars_in_proportion_to_their_cost_the_largest_first(self):
        for heading, costs in (("PROJECT", [("/home/ada/heron", 4.0), ("/home/ada/otter", 4.0)]),
                               ("MODEL", [("anthropic/claude-haiku-4-5", 5.0), ("anthropic/claude-sonnet-4-5", 3.0)])):
            rows = self.bars(heading)
            self.assertEqual([(name, float(cost)) for name, _, cost in rows], costs)
            longest = len(rows[0][1])
            self.assertGreater(longest, 15)
            for (_, bar, _), (_, cost) in zip(rows, costs):
                self.assertLessEqual(abs(len(bar) - longest * cost / costs[0][1]), 1)

    def test_pipes_and_json_name_the_project_of_each_row(self):
        rows = [line.split("\t") for line in self.ok("stats").out.splitlines()]
        expected = sorted((model, project, dollars) for project, model, dollars in self.ANSWERS)
        self.assertEqual([(row[2], row[9], float(row[8])) for row in rows[:-1]], expected)
        self.assertEqual((rows[-1][0], rows[-1][9], float(rows[-1][8])), ("total", "", 8.0))
        by = self.ok("stats", "--json").json["by"]
        self.assertEqual([(row["model"], row["project"], row["cost"]) for row in by], expected)
        one = self.ok("stats", "talk-2", "--json").json
        self.assertEqual([(row["project"], row["cost"]) for row in one["by"]], [("/home/ada/otter", 4.0)])
        self.assertIsNone(self.stats_without_a_folder()["by"][0]["project"])

    def stats_without_a_folder(self):
        head, *rest = (self.store / "talk-0.jsonl").read_text().splitlines()
        head = json.loads(head)
        del head["cwd"]
        (self.folder / "nowhere.jsonl").write_text("\n".join([json.dumps(head), *rest]) + "\n")
        return self.ok("stats", "./nowhere.jsonl", "--json").json


class Dates(ProgramTest):
    def row_of(self, day):
        name = f"at-{day}"
        text = (PI / "simple_chat.jsonl").read_text().replace("2025-11-03", day)
        self.store.mkdir(mode=0o700, exist_ok=True)
        (self.store / f"{name}.jsonl").write_text(re.sub(r'"id":"[^"]*simple[^"]*"', f'"id":"{name}"', text, count=1))
        shown = self.on_terminal("ls", env=PLAIN, size=(200, 50))[1]
        return next(line for line in shown.splitlines() if line.startswith(name))

    def test_today_is_relative_this_year_has_no_year_and_others_have(self):
        today = datetime.datetime.now(datetime.timezone.utc)
        month = 3 if today.month == 6 else 6
        self.assertIn("  Nov 3 2019  ", self.row_of("2019-11-03"))
        self.assertRegex(self.row_of(f"{today.year}-{month:02}-15"), f"  {'Mar' if month == 3 else 'Jun'} 15 08:00  ")
        session = self.new()
        self.assertRegex(self.on_terminal("ls", env=PLAIN)[1], rf"{session[:8]}\S*  just now")

    def test_times_are_of_the_place(self):
        shutil.copyfile(PI / "simple_chat.jsonl", self.folder / "talk.jsonl")
        for zone, hour in (("UTC", "08:00"), ("XXX-3", "11:00")):
            self.assertIn(f"user · Nov 3 2025 {hour}\n", self.on_terminal("show", "talk.jsonl", env={**PLAIN, "TZ": zone})[1])
        self.assertEqual(self.ok("show", "talk.jsonl", env={"TZ": "XXX-3"}).out, self.ok("show", "talk.jsonl").out)

    def test_a_wide_screen_has_whole_ids_and_titles_and_a_narrow_one_what_is_needed(self):
        session = self.new("--title", "A title that is rather long, so that it shows where it is cut, and by how much")
        self.new()
        wide, narrow = (self.on_terminal("ls", env=PLAIN, size=(columns, 24))[1] for columns in (200, 80))
        self.assertIn(session + "  ", wide)
        self.assertIn("and by how much", wide)
        self.assertNotIn(session, narrow)
        self.assertIn("…", narrow)


class Findings(ProgramTest):
    def test_damage_is_first_and_what_is_alike_is_counted(self):
        for name in ("one", "two"):
            self.say(self.new("--id", name), "user", "hello")
        with open(self.file_of("two"), "ab") as file:
            file.write(b"bad\n" * 30)
        for number in range(54):
            (self.store / f"a{number}.txt").write_text("x")
        code, shown = self.on_terminal("doctor", "--no-pager", env=PLAIN, size=(100, 40))
        self.assertEqual(code, 5)
        lines = shown.splitlines()
        self.assertRegex(lines[0], r"^damage  30 × \w+  two\.jsonl$")
        self.assertIn("notice  54 × foreign_file  a0.txt, a1.txt, a10.txt and 51 more", lines)
        self.assertLess(len(lines), 15)
        self.assertNotIn(str(self.store), shown)
        plain = self.run_cli("doctor").out.splitlines()
        self.assertEqual(len([row for row in plain if row.startswith("damage")]), 30)
        self.assertTrue(plain[0].startswith("damage"))
        self.assertEqual(len(self.run_cli("doctor", "--json").json["findings"]), len(plain))
        code, shown = self.on_terminal("verify", "--no-pager", env=PLAIN, size=(100, 40))
        self.assertEqual(code, 5)
        self.assertRegex(shown.splitlines()[0], r"^damage  30 × \w+  two\.jsonl, line 3$")

    def test_the_modes_of_a_copied_folder_are_no_finding_and_one_loose_file_is(self):
        for name in ("one", "two"):
            self.say(self.new("--id", name), "user", "hello")
        self.file_of("one").chmod(0o644)
        run = self.ok("doctor")
        self.assertEqual([row.split("\t")[1] for row in run.out.splitlines()], ["loose_mode"])
        for path in self.store.iterdir():
            path.chmod(0o644)
        self.store.chmod(0o755)
        run = self.ok("doctor")
        self.assertEqual((run.out, run.err), ("", "sessionkit: 0 finding(s) in 2 transcript(s)\n"))
        kinds = [finding["kind"] for finding in self.ok("doctor", "--json").json["findings"]]
        self.assertIn("loose_mode", kinds)  # programs get everything
        self.ok("doctor", "--repair")
        self.assertEqual({stat.S_IMODE(path.stat().st_mode) & 0o077 for path in self.store.glob("*.jsonl")}, {0})


class Progress(ProgramTest):
    """The clock of the programs is fast (fast_clock.cpp): between two looks at it, at least 400 ms seem to have gone by."""

    @classmethod
    def setUpClass(cls):
        assert os.path.exists(os.environ.get("FAST_CLOCK", "")), "$FAST_CLOCK must name libfast_clock.so, as it does in ctest"

    def shown(self, *args, env=None):
        code, text = self.on_terminal(*args, env={"LD_PRELOAD": os.environ["FAST_CLOCK"], **(env or {})})
        nothing_found, something_left_out = args[0] == "search", "claude-code" in args
        self.assertEqual(code, 1 if nothing_found else 5 if something_left_out else 0, text[-300:])
        return text

    def assert_progress(self, shown, of, total, task):
        """Shown is at least one rate with the time that is left, and always less than the total; nothing of it stays."""
        found = re.findall(rf"(\d+) of (\d+) {of}(?:, ([\d.]+k?)/s, \d+ (?:s|min) left)?", shown)
        self.assertTrue(any(rate for *_, rate in found), (task, shown[-300:]))
        self.assertEqual({int(of_all) for _, of_all, _ in found}, {total}, task)
        self.assertTrue(all(int(done) < total for done, *_ in found), (task, found))
        self.assertNotRegex(re.sub(r"[^\n]*\r\x1b\[K", "", shown), rf"\d+ of \d+ {of}", task)

    def many_sessions(self):
        self.store.mkdir(mode=0o700)
        text = (PI / "simple_chat.jsonl").read_text()
        for number in range(400):
            (self.store / f"s{number:04}.jsonl").write_text(text)

    def test_many_sessions_have_progress_in_every_verb_that_reads_them_all(self):
        self.many_sessions()
        for task in (["verify"], ["stats", "--no-pager"], ["reindex"], ["doctor", "--no-pager"], ["search", "no such words"]):
            with self.subTest(task):
                self.assert_progress(self.shown(*task), r"\w+", 400, task)
        copied = self.shown("cp", str(self.store), str(self.folder / "copies"))
        self.assert_progress(copied, "lines", 2000, "cp")
        imported = self.shown("import", *(f"store/s{number:04}.jsonl" for number in range(100)))
        self.assert_progress(imported, r"\w+", 100, "import")

    def long_session(self, path):
        """Writes 14 MB; returns how many thousands of bytes."""
        head, *talk = [json.loads(line) for line in (PI / "simple_chat.jsonl").read_text().splitlines()]
        talk[0]["message"]["content"] = "word " * 1600
        parent = None
        with open(path, "w") as file:
            file.write(json.dumps(head) + "\n")
            for number in range(6000):
                entry = {**talk[number % 4], "id": f"{number:08x}", "parentId": parent}
                parent = entry["id"]
                file.write(json.dumps(entry) + "\n")
        return round(path.stat().st_size / 1000)

    def test_one_long_session_has_progress_in_every_verb_that_reads_it_whole(self):
        size = self.long_session(self.folder / "long.jsonl")
        self.store.mkdir(mode=0o700)
        for task in (["verify", "long.jsonl"], ["doctor", "long.jsonl"], ["stats", "long.jsonl"],
                     ["search", "-i", "no such words", "--in", "long.jsonl"], ["import", "long.jsonl"],
                     ["cp", "long.jsonl", str(self.folder / "copies")],
                     ["convert", "long.jsonl", "--to", "flat", "-o", "flat.jsonl"],
                     ["compact", "long.jsonl", "--dry-run", "--keep-turns", "5"],
                     ["export", "long.jsonl", "-o", "page.html"], ["export", "long.jsonl", "--to", "claude-code", "-o", "theirs"]):
            with self.subTest(task):
                self.assert_progress(self.shown(*task), "kB", size, task)

    def test_the_store_of_one_long_session_is_indexed_with_progress(self):
        self.store.mkdir(mode=0o700)
        size = self.long_session(self.store / "long.jsonl")
        for verb in ("reindex", "ls"):
            self.assert_progress(self.shown(verb), "kB", size, verb)
            (self.store / "sessions.json").unlink(missing_ok=True)

    def test_a_dumb_terminal_and_quiet_have_none(self):
        self.many_sessions()
        for options, env in (([], {"TERM": "dumb"}), (["--quiet"], {})):
            self.assertNotRegex(self.shown("verify", *options, env=env), r"\d+ of \d+ |\x1b\[K")


if __name__ == "__main__":
    unittest.main()
