# SPDX-License-Identifier: MIT
"""compact, context and stats: conversations that fit, and their cost."""
import json
import pathlib
import time
import unittest

from support import ProgramTest, texts


class Compact(ProgramTest):
    def talk(self, turns=4):
        session = self.new()
        for i in range(turns):
            self.say(session, "user", f"question {i} " + "x" * 400)
            self.say(session, "assistant", f"answer {i} " + "y" * 400)
        return session

    def test_a_dry_run_shows_the_plan_and_stores_nothing(self):
        session = self.talk()
        before = self.file_of(session).read_bytes()
        plan = self.ok("compact", session, "--dry-run", "--keep-turns", "1").out
        self.assertIn("summarized\t6\n", plan)
        self.assertIn("kept\t2\n", plan)
        asked = self.ok("compact", session, "--dry-run", "--keep-turns", "1", "--json").json
        self.assertEqual(len(asked["requests"]), 1)
        self.assertIn("question 0", asked["requests"][0]["prompt"])
        self.assertNotIn("question 3", asked["requests"][0]["prompt"])
        self.assertTrue(asked["requests"][0]["system"])
        self.assertEqual(self.file_of(session).read_bytes(), before)

    def test_a_summary_from_stdin_replaces_the_beginning_in_the_view_only(self):
        session = self.talk()
        before = self.file_of(session).read_bytes()
        entry = self.ok("compact", session, "--keep-turns", "2", "--summary", "-", stdin="what was said\n").out.strip()
        after = self.file_of(session).read_bytes()
        self.assertTrue(after.startswith(before))
        line = json.loads(after[len(before):])
        self.assertEqual((line["type"], line["id"]), ("compaction", entry))
        history = self.ok("history", session).json
        self.assertEqual([t.split()[1] for t in texts(history["messages"])], ["2", "2", "3", "3"])
        self.assertIn("what was said", history["system"])
        self.ok("verify", session)

    def test_a_program_is_asked_and_answers(self):
        session = self.talk()
        done = self.ok("compact", session, "--keep-messages", "2", "--exec", "grep -c 'question [0-9]'", "--json").json
        self.assertEqual(done["outcome"], "applied")
        self.assertLess(done["tokens_after"], done["tokens_before"])
        self.assertIn("<summary>\n3", self.ok("history", session).json["system"])

    def test_a_compaction_without_effect_stores_nothing(self):
        session = self.talk()
        before = self.file_of(session).read_bytes()
        self.fails(1, "compact", session, "--keep-turns", "1", "--exec", "false")
        self.fails(1, "compact", session, "--keep-turns", "1", "--summary", "  ")
        self.fails(2, "compact", session, "--keep-turns", "1")
        for none in ("--keep-turns", "--keep-tokens", "--keep-messages"):
            self.fails(2, "compact", session, none, "0", "--summary", "x")
        self.fails(2, "compact", session, "--summary", "x", "--exec", "cat")
        self.fails(2, "compact", session, "--summary", "x", "--keep-turns", "1", "--keep-tokens", "9")
        self.assertIn("nothing to summarise", self.ok("compact", session, "--summary", "x").err)
        self.assertEqual(self.file_of(session).read_bytes(), before)


    def test_a_program_that_never_ends_or_never_stops_writing_is_ended(self):
        session = self.talk()
        before = self.file_of(session).read_bytes()
        args = ("compact", session, "--keep-turns", "1", "--exec")
        begin = time.monotonic()
        late = self.fails(1, *args, "exec sleep 50", "--deadline", "200ms")
        self.assertLess(time.monotonic() - begin, 20)
        self.assertIn("did not end in time", late.err)
        begin = time.monotonic()
        self.assertIn("did not end in time", self.fails(1, *args, "echo ok; exec sleep 50 >&-", "--deadline", "200ms").err)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertIn("more than", self.fails(1, *args, "exec yes").err)
        self.assertIn("no duration", self.fails(2, *args, "cat", "--deadline", "soon").err)
        self.assertEqual(self.file_of(session).read_bytes(), before)

    def test_a_compaction_that_cannot_be_stored_is_reported_before_a_program_runs(self):
        flat = self.folder / "flat.jsonl"
        flat.write_text("".join(
            json.dumps({"type": kind, "content": f"{kind} {i}", "ts": 1700000000.5 + i}) + "\n"
            for i in range(3) for kind in ("user", "assistant")))
        asked = self.folder / "asked"
        for args in (("--exec", f"touch {asked}; echo x"), ("--dry-run",)):
            self.assertIn("convert", self.fails(2, "compact", flat, "--keep-turns", "1", *args).err)
        self.assertFalse(asked.exists())


class Context(ProgramTest):
    def test_every_entry_is_explained(self):
        session = self.new()
        self.say(session, "user", "x" * 400)
        self.say(session, "assistant", "y" * 40)
        rows = [line.split("\t") for line in self.ok("context", session, "--explain").out.splitlines()]
        self.assertEqual([row[1:3] for row in rows], [["user", "100"], ["assistant", "10"], ["2 entries", "110"]])
        shown = self.ok("context", session, "--json").json
        self.assertEqual((shown["tokens"], shown["limit"], shown["compaction_due"]), (110, 80000, False))
        self.assertNotIn("entries", shown)

    def test_rows_sum_to_the_total_where_the_provider_did_not_count(self):
        session = self.new()
        self.say(session, "user", "\u4f60\u597d, " + "x" * 39)
        self.say(session, "assistant", "y")
        shown = self.ok("context", session, "--explain", "--json").json
        self.assertEqual(sum(row["tokens"] for row in shown["entries"]), shown["tokens"])

    def test_the_rules_of_a_program_can_be_named(self):
        session = self.new("--profile", "zeroclaw")
        self.say(session, "user", "x")
        self.assertEqual(self.ok("context", session, "--profile", "zeroclaw", "--json").json["limit"], 12000)
        self.assertIsNone(self.ok("context", session, "--profile", "ephemeral", "--json").json["limit"])

    def test_over_the_limit_it_says_why_nothing_happens(self):
        session = self.new()
        self.say(session, "user", "x" * 400000)
        self.assertIn("nothing can be summarised", self.ok("context", session).out)

    def test_a_compaction_is_first_in_the_context(self):
        shown = self.ok("context", self.fixture("compaction_twice.jsonl"), "--explain", "--json").json
        self.assertEqual(shown["entries"][0]["who"], "summary")
        self.assertEqual(shown["entries"][0]["entry"], shown["compaction"])


class Stats(ProgramTest):
    def test_usage_is_summed_by_day_and_model_and_totals_agree_with_the_lines(self):
        copy = self.fixture("compaction_once.jsonl")
        answers, output, cost = 0, 0, 0
        for line in pathlib.Path(copy).read_text().splitlines():
            message = json.loads(line).get("message", {})
            if message.get("role") == "assistant":
                answers += 1
                output += message["usage"]["output"]
                cost += message["usage"]["cost"]["total"]
        shown = self.ok("stats", copy, "--json").json
        self.assertEqual(shown["total"]["answers"], answers)
        self.assertEqual(shown["total"]["output"], output)
        self.assertAlmostEqual(shown["total"]["cost"], cost)
        self.assertEqual(sum(row["answers"] for row in shown["by"]), answers)
        self.assertTrue(all(len(row["day"]) == 10 and row["model"] for row in shown["by"]))
        self.assertEqual(self.ok("stats", copy).out.splitlines()[-1].split("\t")[0], "total")

    def test_prices_are_for_answers_without_a_recorded_cost(self):
        copy = self.fixture("compaction_once.jsonl")
        expected, answers, lines = 0, 0, []
        for line in map(json.loads, pathlib.Path(copy).read_text().splitlines()):
            usage = line.get("message", {}).get("usage")
            if usage:
                answers += 1
                recorded = usage.pop("cost")["total"]
                if answers == 1:  # the only one that keeps its cost
                    usage["cost"] = {"total": recorded}
                    expected += recorded
                else:
                    expected += ((usage["input"] + usage["cacheRead"] + usage["cacheWrite"]) * 3 + usage["output"] * 15) / 1e6
            lines.append(json.dumps(line) + "\n")
        pathlib.Path(copy).write_text("".join(lines))
        self.assertGreater(answers, 10)
        self.assertAlmostEqual(self.ok("stats", copy, "--prices", "3/15", "--json").json["total"]["cost"], expected)
        self.assertNotIn("--prices", self.ok("stats", copy).err)
        without = [line for line in lines if '"cost"' not in line]
        pathlib.Path(copy).write_text("".join(without))
        self.assertIn("--prices 3/15", self.ok("stats", copy).err)
        for prices in ("3", "a/b", "-1/2", "/"):
            self.fails(2, "stats", copy, "--prices", prices)

    def test_copies_after_a_compaction_are_counted_and_shown_once(self):
        log = self.folder / "panel.jsonl"
        said = [{"type": "message", "timestamp": 1700000000000 + i, "message": {
            "role": "user" if i % 2 == 0 else "assistant", "content": f"words {i}"}} for i in range(8)]
        for line in said[1::2]:
            line["message"].update(model="m", usage={"input": 10, "output": 5, "cost": {"total": 0.5}})
        head = {"type": "session", "version": 1, "id": "p1", "agentId": "a", "createdAt": 1700000000000}
        log.write_text("".join(json.dumps(line) + "\n" for line in [head, *said]))
        before = self.ok("stats", log, "--json").json["total"]
        self.ok("compact", log, "--keep-turns", "2", "--summary", "short")
        self.assertGreater(len(log.read_text().splitlines()), 10)  # the kept ones are written again
        after = self.ok("stats", log, "--json").json["total"]
        self.assertEqual((after["answers"], after["cost"]), (before["answers"], before["cost"]))
        self.assertEqual(before["answers"], 4)
        self.assertEqual(self.ok("show", log).out.count("words 7"), 1)

    def test_a_compaction_that_was_cut_short_does_not_count_and_verify_reports_it(self):
        log = self.folder / "panel.jsonl"
        said = [{"type": "message", "timestamp": 1700000000000 + i, "message": {
            "role": "assistant" if i % 2 else "user", "content": f"words {i}"}} for i in range(8)]
        head = {"type": "session", "version": 1, "id": "p1", "agentId": "a", "createdAt": 1700000000000}
        log.write_text("".join(json.dumps(line) + "\n" for line in [head, *said]))
        self.ok("compact", log, "--keep-turns", "2", "--summary", "short")
        self.ok("verify", log)
        log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
        self.say(log, "user", "words 7")
        self.assertEqual(self.ok("show", log).out.count("words 7"), 2)
        self.assertEqual(self.ok("show", log).out.count("short"), 0)
        stats = self.ok("stats", log, "--json").json
        self.assertEqual((stats["messages"], stats["turns"], stats["compactions"]), (9, 5, 0))
        context = self.run_cli("context", log)
        self.assertIn("sessionkit verify", context.err)
        verify = self.run_cli("verify", log)
        self.assertEqual(verify.code, 5)
        self.assertIn("not all 4 messages that the compaction keeps", verify.out)

    def test_the_whole_store_is_counted_and_a_fork_not_twice(self):
        session = self.new()
        self.say(session, "user", "q")
        self.say(session, "assistant", "a")
        self.ok("fork", session)
        shown = self.ok("stats", "--json").json
        self.assertEqual(shown["sessions"], 2)
        self.assertEqual(shown["total"]["answers"], 1)


class Prune(ProgramTest):
    def old(self, days):
        """A session whose last entry is this many days old."""
        session = self.new("--key", f"k{days}")
        self.say(session, "user", "q")
        at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - days * 86400))
        file = self.file_of(session)
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        file.write_text("".join(json.dumps(dict(line, timestamp=at)) + "\n" for line in lines))
        self.ok("reindex")
        return session

    def test_nothing_is_removed_unless_asked(self):
        self.old(1000)
        self.assertIn("--idle", self.fails(2, "prune", "--yes").err)
        for wrong in ("soon", "30"):  # 30 of what?
            self.assertIn("no duration", self.fails(2, "prune", "--idle", wrong).err)
        self.assertIn("no session has the key 'misspelt'",
                      self.fails(3, "prune", "--most", "1", "--protect", "misspelt", "--yes").err)
        self.assertEqual(self.ok("prune", "--idle", "1001d", "--yes").out, "")

    def test_files_that_are_not_a_session_are_not_removed_first(self):
        self.say(self.new("--id", "mine"), "user", "x")
        (self.store / "alien.jsonl").write_text("garbage\n")
        (self.store / "export.jsonl").write_text('{"some":"export"}\n')
        self.assertEqual(self.ok("prune", "--most", "1", "--yes").out, "")  # not counted either
        self.say(self.new("--id", "young"), "user", "x")
        self.assertEqual(self.ok("prune", "--most", "1", "--dry-run").out.split("\t")[0], "mine")

    def test_idle_sessions_go_to_the_trash_with_a_reason_and_protected_ones_stay(self):
        old, mine, young = self.old(40), self.old(50), self.old(3)
        args = ("prune", "--idle", "30d", "--protect", "key:k50")
        shown = self.ok(*args, "--dry-run").out
        self.assertEqual(shown, f"{old}\tidle\tk40\tno entry for 40 d 0 h, the limit is 30 d 0 h\n")
        self.assertTrue(self.file_of(old).exists())
        self.assertIn("--yes", self.fails(2, *args).err)
        done = self.ok(*args, "--yes", "--json").json
        self.assertEqual([r["id"] for r in done["removed"]], [old])
        self.assertEqual((done["kept"], done["skipped"]), (2, []))
        self.assertFalse(self.file_of(old).exists())
        self.assertTrue(any((self.store / "trash").iterdir()))
        self.assertEqual({r["id"] for r in self.ok("ls", "--json").json["sessions"]}, {mine, young})

    def test_caps_by_count_and_bytes_take_the_oldest(self):
        first, second, third = self.old(3), self.old(2), self.old(1)
        self.assertEqual(self.ok("prune", "--most", "2", "--yes").out.split("\t")[:2], [first, "count"])
        self.assertEqual(self.ok("prune", "--most-bytes", "10", "--dry-run").out.count("bytes"), 4)
        self.assertEqual(self.ok("prune", "--age", "30h", "--yes").out.split("\t")[:2], [second, "age"])
        self.assertTrue(self.file_of(third).exists())


if __name__ == "__main__":
    unittest.main()
