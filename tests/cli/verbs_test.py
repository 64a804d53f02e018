# SPDX-License-Identifier: MIT
"""Each verb works as documented, and exits with the code that scripts rely on."""
import fcntl
import json
import os
import resource
import unittest

from support import PI, ProgramTest, texts


class New(ProgramTest):
    def test_prints_the_id_and_nothing_else(self):
        run = self.ok("new", "--key", "k")
        self.assertRegex(run.out, r"\A[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\n\Z")
        self.assertEqual(run.err, "")
        self.assertEqual(self.ok("new", "--id", "mine").out, "mine\n")

    def test_writes_the_header_and_the_title_before_it_prints(self):
        session = self.new("--key", "k:1", "--agent", "a", "--user", "u", "--cwd", "/srv/project", "--title", "Plan")
        header, title = map(json.loads, self.file_of(session).read_text().splitlines())
        self.assertEqual((header["type"], header["version"], header["id"], header["cwd"]),
                         ("session", 3, session, "/srv/project"))
        self.assertEqual((title["type"], title["name"]), ("session_info", "Plan"))
        self.assertIn("  title  Plan", self.on_terminal("tree", session, env={"NO_COLOR": "1"}, size=(80, 24))[1])
        row = self.ok("ls", "--json").json["sessions"][0]
        self.assertEqual((row["id"], row["key"], row["agent"], row["user"], row["cwd"], row["title"]),
                         (session, "k:1", "a", "u", "/srv/project", "Plan"))

    def test_a_taken_id_exits_with_4_and_changes_nothing(self):
        self.new("--id", "mine")
        before = self.file_of("mine").read_bytes()
        run = self.fails(4, "new", "--id", "mine")
        self.assertIn("session 'mine' exists already", run.err)
        self.assertNotIn("entry", run.err)
        self.assertEqual(self.file_of("mine").read_bytes(), before)

    def test_an_id_that_would_be_a_path_exits_with_2(self):
        for bad in ("../x", "a/b", "", ".hidden", "a" * 129):
            self.fails(2, "new", "--id", bad)
        self.assertFalse((self.folder / "x.jsonl").exists())

    def test_files_and_folders_are_for_their_owner_alone(self):
        session = self.new()
        self.assertEqual(self.file_of(session).stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.store.stat().st_mode & 0o777, 0o700)


class Append(ProgramTest):
    def test_prints_the_id_of_an_entry_that_is_in_the_file(self):
        session = self.new()
        entry = self.say(session, "user", "hello")
        lines = [json.loads(line) for line in self.file_of(session).read_text().splitlines()]
        self.assertEqual(lines[-1]["id"], entry)
        self.assertEqual(lines[-1]["message"]["role"], "user")

    def test_takes_stdin_byte_for_byte_and_text_from_the_command_line(self):
        session = self.new()
        for text in ("a\n", "\n\n b \t", "quote \" \\ \u2028 \U0001F600 \u00e4", "nul \0 bell \a"):
            self.say(session, "user", text)
            self.say(session, "assistant", "ok")
            self.assertEqual(texts(self.ok("history", session, "--mode", "faithful").json["messages"])[-2], text)
        self.ok("append", session, "--role", "user", "--text=--json")
        self.assertEqual(texts(self.ok("history", session).json["messages"])[-1], "--json")

    def test_a_long_text_comes_back_whole(self):
        session = self.new()
        text = "0123456789abcdef" * 200_000
        self.say(session, "user", text)
        self.assertEqual(texts(self.ok("history", session).json["messages"]), [text])

    def test_repeating_with_the_same_entry_id_stores_nothing_twice(self):
        session = self.new()
        first = self.say(session, "user", "once", "--entry-id", "request-1")
        self.say(session, "assistant", "answer")
        before = self.file_of(session).read_bytes()
        self.assertEqual(self.say(session, "user", "once", "--entry-id", "request-1"), first)
        self.assertEqual(self.file_of(session).read_bytes(), before)
        run = self.fails(4, "append", session, "--role", "user", "--text", "twice", "--entry-id", "request-1")
        self.assertIn("request-1", run.err)
        self.assertEqual(self.file_of(session).read_bytes(), before)

    def test_an_invalid_append_stores_nothing(self):
        session = self.new()
        before = self.file_of(session).read_bytes()
        for args, stdin in ((["--role", "user", "--text", "-"], b""), (["--role", "user", "--text", "-"], b"ok \xff"),
                            (["--role", "tool", "--text", "x"], b""), (["--role", "user"], b""), (["--text", "x"], b""),
                            (["--role", "user", "--text", "x", "--entry-id", ""], b"")):
            self.fails(2, "append", session, *args, stdin=stdin)
        self.assertEqual(self.file_of(session).read_bytes(), before)

    def test_seals_a_torn_line_and_keeps_its_bytes(self):
        session = self.new()
        self.say(session, "user", "before")
        with open(self.file_of(session), "ab") as file:
            file.write(b'{"type":"message","id":"torn')
        run = self.ok("append", session, "--role", "assistant", "--text", "after")
        self.assertIn(b'{"type":"message","id":"torn\n', self.file_of(session).read_bytes())
        self.assertEqual(texts(self.ok("history", session).json["messages"]), ["before", "after"])
        self.assertTrue(run.out.strip())

    def test_continues_a_file_of_any_name_without_changing_its_lines(self):
        file = self.fixture("simple_chat.jsonl")
        before = file.read_bytes()
        entry = self.say(file, "user", "more")
        self.assertEqual(file.read_bytes()[:len(before)], before)
        added = json.loads(file.read_bytes()[len(before):])
        self.assertEqual((added["id"], added["parentId"]), (entry, "1ac286af"))
        self.assertEqual([p.name for p in self.folder.iterdir()], ["simple_chat.jsonl"])

    def test_a_file_that_is_not_a_session_is_not_written(self):
        flat = '{"type":"user","content":"hi","ts":1}\n{"type":"assistant","content":[{"type":"text","text":"ho"}],"ts":2}\n'
        for name, content, code in (("empty", "", 2), ("garbage", "garbage\n", 5), ("flat", flat, 2)):
            file = self.folder / f"{name}.jsonl"
            file.write_text(content)
            self.fails(code, "append", file, "--role", "user", "--text", "x")
            self.assertEqual(file.read_text(), content)

    def test_a_file_that_is_not_there_is_not_made(self):
        self.fails(3, "append", "./new.jsonl", "--role", "user", "--text", "x")
        self.assertFalse((self.folder / "new.jsonl").exists())

    def test_a_lock_held_too_long_exits_with_4_and_nothing_is_stored(self):
        session = self.new()
        with open(self.file_of(session), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            before = self.file_of(session).read_bytes()
            run = self.fails(4, "append", session, "--role", "user", "--text", "x", "--timeout", "50ms")
            self.assertEqual(self.file_of(session).read_bytes(), before)
        self.assertIn("--timeout", run.err)
        self.say(session, "user", "x")

    def test_a_file_size_limit_exits_with_7_and_kills_no_process(self):
        session = self.new()
        def limit():
            size = self.file_of(session).stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        run = self.fails(7, "append", session, "--role", "user", "--text", "x" * 1000, preexec_fn=limit)
        self.assertEqual(run.out, "")
        self.assertEqual(self.ok("history", session).json["messages"], [])
        self.say(session, "user", "fits again")

    def test_a_store_that_may_not_be_written_exits_with_6(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        session = self.new()
        self.file_of(session).chmod(0o400)
        self.fails(6, "append", session, "--role", "user", "--text", "x")

    def test_a_symbolic_link_is_not_written_through(self):
        target = self.fixture("simple_chat.jsonl")
        before = target.read_bytes()
        (self.folder / "link.jsonl").symlink_to(target)
        self.fails(6, "append", "./link.jsonl", "--role", "user", "--text", "x")
        self.assertEqual(target.read_bytes(), before)

    def test_twenty_processes_at_once_lose_nothing(self):
        session = self.new()
        import concurrent.futures
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            ids = list(pool.map(lambda i: self.say(session, "user" if i % 2 else "assistant", f"text {i}"), range(20)))
        self.assertEqual(len(set(ids)), 20)
        stored = [json.loads(line)["id"] for line in self.file_of(session).read_text().splitlines()[1:]]
        self.assertEqual(sorted(stored), sorted(ids))
        self.assertEqual(len(self.ok("tree", session, "--json").json["path"]), 20)


class Reading(ProgramTest):
    def test_history_is_one_object_in_each_providers_form(self):
        file = PI / "simple_chat.jsonl"
        anthropic = self.ok("history", file, "--system", "Be terse.").json
        self.assertEqual(list(anthropic), ["system", "messages"])
        self.assertEqual(anthropic["system"], "Be terse.")
        self.assertEqual(anthropic["messages"][1], {"role": "assistant", "content": [{"type": "text", "text": "Use `ls -lS`."}]})
        openai = self.ok("history", file, "--provider", "openai-chat", "--system", "Be terse.").json
        self.assertIsNone(openai["system"])
        self.assertEqual([m["role"] for m in openai["messages"]], ["system", "user", "assistant", "user", "assistant"])
        self.assertIsNone(self.ok("history", file).json["system"])
        responses = self.ok("history", file, "--provider", "openai-responses", "--system", "Be terse.").json
        self.assertEqual(list(responses), ["system", "input"])
        self.assertEqual(responses["system"], "Be terse.")
        self.assertEqual(responses["input"][1], {"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": "Use `ls -lS`."}]})
        gemini = self.ok("history", file, "--provider", "gemini", "--system", "Be terse.").json
        self.assertEqual(list(gemini), ["system", "contents"])
        self.assertEqual(gemini["system"], {"parts": [{"text": "Be terse."}]})
        self.assertEqual(gemini["contents"][1], {"role": "model", "parts": [{"text": "Use `ls -lS`."}]})
        self.fails(2, "history", file, "--provider", "google")

    def test_history_at_an_earlier_entry_ends_there(self):
        file = PI / "simple_chat.jsonl"
        self.assertEqual(texts(self.ok("history", file, "--leaf", "907df318").json["messages"]),
                         ["How do I list files by size?", "Use `ls -lS`."])
        self.fails(3, "history", file, "--leaf", "nobody")

    def test_history_reports_its_repairs_on_stderr_and_leaves_stdout_alone(self):
        file = PI / "tool_calls.jsonl"
        plain = self.ok("history", file)
        reported = self.ok("history", file, "--report")
        self.assertEqual(reported.out, plain.out)
        self.assertIn("repair: ", reported.err)
        self.assertNotIn("repair: ", plain.err)
        as_json = self.ok("history", file, "--report", "--json")
        self.assertEqual(as_json.out, plain.out)
        repairs = json.loads(as_json.err.splitlines()[0])["repairs"]
        self.assertEqual(len(repairs), reported.err.count("repair: "))
        self.assertEqual(set(repairs[0]), {"entry", "rule", "before", "after", "retroactive"})

    def test_reading_changes_no_byte_and_makes_no_file(self):
        file = self.fixture("legacy_v1.jsonl")
        before = file.read_bytes()
        for verb in ("history", "show", "tree", "verify"):
            self.ok(verb, file)
        self.assertEqual(file.read_bytes(), before)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["legacy_v1.jsonl"])

    def test_big_numbers_and_key_order_survive(self):
        session = self.new()
        self.say(session, "user", "go")
        with open(self.file_of(session), "a") as file:
            file.write('{"type":"message","id":"b","parentId":"%s","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"assistant",'
                       '"content":[{"type":"toolCall","id":"t1","name":"f","arguments":{"z":12345678901234567890,"a":1e21}}],'
                       '"timestamp":1}}\n' % self.ok("tree", session, "--json").json["leaf"])
        self.assertIn('{"z":12345678901234567890,"a":1e21}', self.ok("history", session).out)

    def test_show_prints_the_talk_and_its_entries_as_json(self):
        out = self.ok("show", PI / "simple_chat.jsonl").out
        self.assertEqual(out.splitlines()[:2], ["user> How do I list files by size?", "assistant> Use `ls -lS`."])
        shown = self.ok("show", PI / "simple_chat.jsonl", "--json", "--leaf", "907df318").json
        self.assertEqual([e["id"] for e in shown["entries"]], ["9c6d4a97", "907df318"])
        self.assertEqual(shown["schema"], "sessionkit/show@1")


class Listing(ProgramTest):
    def test_newest_first_by_pages_until_there_are_no_more(self):
        made = []
        for i in range(7):
            made.append(self.new("--key", f"k{i % 2}"))
            self.say(made[-1], "user", f"question {i}")
        seen, cursor = [], []
        while True:
            page = self.ok("ls", "-n", "3", "--json", *cursor).json
            seen += [s["id"] for s in page["sessions"]]
            self.assertEqual(page["returned"], len(page["sessions"]))
            if not page["has_more"]:
                break
            cursor = ["--cursor", page["next"]]
        self.assertEqual(seen, made[::-1])
        self.assertEqual([s["id"] for s in self.ok("ls", "--key", "k1", "--json").json["sessions"]], made[5::-2])
        self.assertEqual(len(self.ok("ls", "-n", "0").out.splitlines()), 7)

    def test_plain_lines_have_seven_fields_whatever_the_title_holds(self):
        session = self.new("--title", "tab\there\nand a line")
        line, = self.ok("ls").out.splitlines()
        fields = line.split("\t")
        self.assertEqual(len(fields), 7)
        self.assertEqual(fields[0], session)
        self.assertEqual(fields[6], "tab here and a line")

    def test_an_unused_default_store_is_empty_and_a_named_one_is_missing(self):
        run = self.run_cli("ls", env={"SESSIONKIT_STORE": ""})
        self.assertEqual((run.code, run.out), (0, ""))
        self.fails(3, "ls")
        for verb in ("ls", "reindex"):
            run = self.fails(3, verb, "--store", "./typo")
            self.assertIn("there is no store in './typo'", run.err)
            self.assertNotIn("sessionkit ls", run.err)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_default_store_follows_the_xdg_rules(self):
        self.ok("new", "--id", "in-home", env={"SESSIONKIT_STORE": ""})
        self.assertTrue((self.folder / ".local/share/sessionkit/sessions/in-home.jsonl").exists())
        self.ok("new", "--id", "in-xdg", env={"SESSIONKIT_STORE": "", "XDG_DATA_HOME": str(self.folder / "xdg")})
        self.assertTrue((self.folder / "xdg/sessionkit/sessions/in-xdg.jsonl").exists())

    def test_a_store_is_a_path_or_a_url_of_a_kind_that_is_known(self):
        self.new("--id", "mine")
        for url in (self.store, f"file:{self.store}", f"file://{self.store}"):
            self.assertEqual(self.ok("ls", "--store", url).out.split("\t")[0], "mine")
        self.fails(2, "ls", "--store", "mongodb://localhost")

    def test_reindex_restores_rows_that_the_index_lost(self):
        made = {self.new() for _ in range(3)}
        (self.store / "sessions.json").write_text("{not json")
        self.assertEqual(self.ok("reindex").out, "3\n")
        self.assertEqual({line.split("\t")[0] for line in self.ok("ls").out.splitlines()}, made)


class Forking(ProgramTest):
    def test_a_fork_has_the_path_and_goes_its_own_way(self):
        session = self.new("--key", "k")
        self.say(session, "user", "one")
        at = self.say(session, "assistant", "two")
        self.say(session, "user", "three")
        copy = self.ok("fork", session, "--at", at).out.strip()
        self.say(copy, "user", "other")
        self.assertEqual(texts(self.ok("history", copy).json["messages"]), ["one", "two", "other"])
        self.assertEqual(texts(self.ok("history", session).json["messages"]), ["one", "two", "three"])
        row = next(s for s in self.ok("ls", "--json").json["sessions"] if s["id"] == copy)
        self.assertEqual(row["parent_session"], session)
        self.fails(3, "fork", session, "--at", "nobody")

    def test_a_file_cannot_be_forked(self):
        self.fails(2, "fork", PI / "simple_chat.jsonl")


class Removing(ProgramTest):
    def test_rm_moves_to_the_trash_and_needs_yes_without_a_terminal(self):
        session = self.new()
        content = self.file_of(session).read_bytes()
        run = self.fails(2, "rm", session)
        self.assertIn("--yes", run.err)
        self.assertTrue(self.file_of(session).exists())
        self.assertEqual(self.ok("rm", session, "--yes").out, session + "\n")
        self.assertFalse(self.file_of(session).exists())
        self.assertIn(content, [p.read_bytes() for p in self.store.rglob("*") if p.is_file()])
        self.fails(3, "show", session)

    def files(self):
        return [path.read_bytes() for path in self.store.rglob("*.jsonl")]

    def test_rm_permanent_leaves_nothing(self):
        session, other = self.new(), self.new()
        content, kept = self.file_of(session).read_bytes(), self.file_of(other).read_bytes()
        self.assertIn("permanently", self.fails(2, "rm", session, "--permanent").err)
        self.assertEqual(self.ok("rm", session, "--permanent", "--yes").out, session + "\n")
        self.fails(3, "show", session)
        self.assertNotIn(content, self.files())
        self.assertIn(kept, self.files())

    def test_empty_trash_deletes_what_was_removed_and_nothing_else(self):
        session, other = self.new(), self.new()
        content, kept = self.file_of(session).read_bytes(), self.file_of(other).read_bytes()
        self.assertEqual(self.ok("empty-trash").out, "0\t0\n")
        self.ok("rm", session, "--yes")
        self.assertIn("delete 1 removed session permanently", self.fails(2, "empty-trash").err)
        counted = f"1\t{len(content)}\n"
        self.assertEqual(self.ok("empty-trash", "--dry-run").out, counted)
        self.assertIn(content, self.files())
        self.assertEqual(self.ok("empty-trash", "--yes").out, counted)
        self.assertEqual(self.files(), [kept])

    def test_one_name_that_is_not_there_and_nothing_is_removed(self):
        session = self.new()
        self.fails(3, "rm", session, "nobody", "--yes")
        self.ok("show", session)

    def test_a_session_named_twice_is_removed_once(self):
        session = self.new("--key", "k")
        self.assertEqual(self.ok("rm", session, session, "k", "--dry-run").out, session + "\n")
        self.assertEqual(self.ok("rm", session, session, "k", "--yes").out, session + "\n")
        self.assertEqual(self.ok("ls").out, "")
        other = self.new()
        self.assertEqual(self.ok("rm", other, other, "--yes", "--json").json["removed"], [other])

    def test_removals_before_a_failure_are_printed(self):
        for style in ([], ["--json"]):
            first, second = self.new(), self.new()
            with open(self.file_of(second), "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                run = self.fails(4, "rm", first, second, "--yes", "--timeout", "50ms", *style)
            self.assertEqual(run.json["removed"] if style else run.out, [first] if style else first + "\n")
            self.assertFalse(self.file_of(first).exists())
            self.assertTrue(self.file_of(second).exists())

    def test_a_dry_run_only_says_which(self):
        session = self.new("--key", "k")
        self.assertEqual(self.ok("rm", "key:k", "--dry-run").out, session + "\n")
        self.ok("show", session)


class Verifying(ProgramTest):
    def test_a_sound_store_exits_with_0(self):
        self.say(self.new(), "user", "x")
        run = self.ok("verify", "--json").json
        self.assertEqual((run["files"], run["damaged"], run["findings"]), (1, 0, []))

    def test_damage_exits_with_5_and_is_located_by_line_offset_and_length(self):
        session = self.new()
        self.say(session, "user", "x")
        good = self.file_of(session).read_bytes()
        bad = b'{"type":"message",oops}'
        self.file_of(session).write_bytes(good + bad + b"\n")
        self.say(session, "assistant", "y")
        for args in ([], [session], [self.file_of(session)]):
            run = self.run_cli("verify", *args, "--json")
            self.assertEqual(run.code, 5, run)
            finding, = run.json["findings"]
            self.assertEqual((finding["line"], finding["offset"], finding["length"], finding["kind"]),
                             (3, len(good), len(bad), "bad_json"))
            self.assertEqual(finding["file"], str(self.file_of(session)))
        fields = self.run_cli("verify", session).out.strip().split("\t")
        self.assertEqual(fields[:6], ["damage", str(self.file_of(session)), "3", str(len(good)), str(len(bad)), "bad_json"])

    def test_oddities_are_reported_and_are_not_damage(self):
        for name in ("edge_bom.jsonl", "edge_crlf_blank_lines.jsonl"):
            run = self.ok("verify", PI / name, "--json").json
            self.assertEqual(run["findings"], [], name)
            self.assertNotEqual(run["notices"], [], name)

    def test_an_entry_repeated_byte_for_byte_is_odd_and_one_that_differs_is_damage(self):
        session = self.new()
        self.say(session, "user", "x")
        entry = self.file_of(session).read_bytes().splitlines(keepends=True)[1]
        for repeated, code, where in ((entry, 0, "notices"), (entry.replace(b'"x"', b'"y"'), 5, "findings")):
            file = self.folder / "repeated.jsonl"
            file.write_bytes(self.file_of(session).read_bytes() + repeated)
            run = self.run_cli("verify", file, "--json")
            self.assertEqual(run.code, code, run)
            found, = run.json[where]
            self.assertEqual((found["kind"], found["line"]), ("repeated_line" if code == 0 else "duplicate_id", 3))

    def test_files_that_are_no_sessions_are_findings_not_crashes(self):
        for name, content in (("empty", b""), ("garbage", b"\x00\xff\x13" * 1000), ("text", b"hello\n"),
                              ("null", b"null\n"), ("deep", b"[" * 100000 + b"\n")):
            file = self.folder / f"{name}.jsonl"
            file.write_bytes(content)
            run = self.run_cli("verify", file, "--json")
            self.assertIn(run.code, (0, 5) if name == "empty" else (5,), (name, run))
            self.assertIsInstance(run.json["findings"], list)

    def test_unchecked_files_are_not_counted_as_undamaged(self):
        self.say(self.new("--id", "mine"), "user", "x")
        document = self.folder / "document.json"
        document.write_text('{"id":"x","history":[],"version":2}')  # of a version that is not known
        run = self.fails(1, "verify", document)
        self.assertIn("nothing could be checked", run.err)
        self.assertNotIn("no damage", run.err)
        (self.store / "link.jsonl").symlink_to(self.folder / "nowhere")
        self.assertIn("1 file(s) checked, no damage; 1 could not be checked", self.run_cli("verify").err)
        run = self.run_cli("verify", "--json").json
        self.assertEqual((run["files"], run["unchecked"]), (1, 1))

    def test_one_unreadable_file_does_not_hide_the_others(self):
        session = self.new()
        with open(self.file_of(session), "ab") as file:
            file.write(b"damage\n")
        (self.store / "link.jsonl").symlink_to(self.folder / "nowhere")
        run = self.run_cli("verify")
        self.assertEqual(run.code, 5, run)
        self.assertIn("link.jsonl", run.err)
        self.assertIn("bad_json", run.out)


class Usage(ProgramTest):
    def test_an_invalid_command_line_exits_with_2_and_gives_a_hint(self):
        for typed, meant in (("histroy", "history"), ("send", "export"), ("share", "export"), ("move", "cp")):
            self.assertIn(f"did you mean: sessionkit {meant}\n", self.fails(2, typed).err)
        for args in ([], ["nonsense"], ["show"], ["ls", "--nonsense"], ["ls", "-n", "many"], ["ls", "-n", "-1"],
                     ["history", "x", "--provider", "nobody"], ["history", "x", "--mode", "loose"],
                     ["append", "x", "--role", "robot", "--text", "y"], ["ls", "--timeout", "soon"], ["show", "a", "b"],
                     ["new", "--key"], ["ls", "--color", "pink"]):
            self.store.mkdir(exist_ok=True)
            run = self.fails(2, *args)
            self.assertIn("hint: ", run.err, args)
            self.assertEqual(run.out, "", args)

    def test_errors_are_objects_with_json(self):
        self.new()
        for args, code, name in ((["show", "nobody", "--json"], 3, "not_found"), (["--json", "nonsense"], 2, "usage"),
                                 (["rm", "@last", "--json"], 2, "confirmation_needed")):
            run = self.run_cli(*args)
            self.assertEqual((run.code, run.out), (code, ""))
            error = json.loads(run.err)["error"]
            self.assertEqual((error["code"], error["exit"]), (name, code))
            self.assertTrue(error["message"] and error["hint"])

    def test_common_flags_are_legal_before_and_after_the_verb(self):
        self.new("--id", "mine")
        for args in (["--json", "ls"], ["ls", "--json"], ["--store", self.store, "--json", "ls"],
                     ["ls", "--store", self.store, "--json"]):
            self.assertEqual(self.ok(*args, env={"SESSIONKIT_STORE": "" if "--store" in args else str(self.store)})
                             .json["sessions"][0]["id"], "mine")

    def test_a_session_may_be_called_like_a_verb(self):
        self.new("--id", "show")
        self.new("--id", "ls-2")
        self.say("show", "user", "x")
        self.assertEqual(self.ok("show", "show").out, "user> x\n")

    def test_help_and_version_go_to_stdout(self):
        self.assertRegex(self.ok("--version").out, r"\Asessionkit \d+\.\d+\.\d+\n\Z")
        self.assertIn("Exit codes:", self.ok("--help").out)
        for verb in ("ls", "show", "history", "diff", "tree", "append", "new", "fork", "rm", "verify", "reindex"):
            run = self.ok(verb, "--help")
            self.assertIn("Examples:", run.out)
            self.assertIn(f"sessionkit {verb}", run.out)
            self.assertEqual(run.err, "")


if __name__ == "__main__":
    unittest.main()
