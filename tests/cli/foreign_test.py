# SPDX-License-Identifier: MIT
"""The content identifies files that are not transcripts, and none of them is read as an empty session."""
import json
import os
import shutil
import unittest
from pathlib import Path

from support import DATA, PI, ProgramTest, texts

BLADES = {
    "id": "blades-1", "state": {"n": 1},
    "history": [{"role": "user", "text": "hi", "timestamp": "2026-01-01T00:00:01Z"},
                {"role": "assistant", "text": "ho", "timestamp": "2026-01-01T00:00:02Z"}],
    "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:02Z", "version": 1}
READERS = (["history"], ["show"], ["tree"], ["verify"], ["diff"], ["append", "--role", "user", "--text", "x"])


class Foreign(ProgramTest):
    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def command(self, verb, file):
        return [verb[0], file, *([PI / "simple_chat.jsonl"] if verb[0] == "diff" else []), *verb[1:]]


class Blades(Foreign):
    SHAPES = {"line.blades": json.dumps(BLADES) + "\n", "pretty.blades": json.dumps(BLADES, indent=2),
              "sorted.jsonl": json.dumps(BLADES, indent=1, sort_keys=True), "plain": json.dumps(BLADES),
              "marked.txt": "\ufeff" + json.dumps(BLADES), "x.json": json.dumps(BLADES)}

    def test_a_document_of_any_name_is_converted_whole(self):
        for name, content in self.SHAPES.items():
            for to in ("native", "panel", "blades"):
                out = self.folder / f"{name}.{to}.out"
                run = self.run_cli("convert", self.file(name, content), "--to", to, "-o", out)
                self.assertEqual(run.code, 5 if to == "panel" else 0, run)  # panel lines have no state
                if to == "blades":
                    self.assertEqual([m["text"] for m in json.loads(out.read_text())["history"]], ["hi", "ho"])
                else:
                    self.assertEqual(texts(self.ok("history", out).json["messages"]), ["hi", "ho"], (name, to))

    def test_data_of_a_document_without_a_place_is_listed_and_the_rest_is_kept(self):
        run = self.run_cli("convert", self.file("a.blades", self.SHAPES["line.blades"]), "--to", "flat", "-o", "a.jsonl")
        self.assertEqual(run.code, 5, run)
        self.assertIn("state", run.err)
        self.assertEqual(texts(self.ok("history", "a.jsonl").json["messages"]), ["hi", "ho"])

    def test_a_document_that_cannot_be_read_is_refused_and_nothing_is_written(self):
        for name, content, code in (("bad.blades", '{"id":"x","history":[{"role":}]}', 5),
                                    ("later.blades", json.dumps({**BLADES, "version": 2}), 1)):
            path = self.file(name, content)
            before = self.names()
            run = self.fails(code, "convert", path, "--to", "flat", "-o", "out.jsonl")
            self.assertEqual(run.out, "")
            self.assertIn(name, run.err)
            self.assertEqual(self.names(), before)
        for verb in ("show", "verify", "import"):
            run = self.fails(1, verb, "later.blades")
            self.assertIn("version 2", run.err, verb)
            self.assertIn("let the program save it in this version", run.err, verb)

    def test_of_a_document_that_is_cut_off_the_whole_messages_are_read_and_the_end_is_located(self):
        whole = json.dumps(BLADES, indent=2)
        for size, said in ((whole.index('"created_at"'), ["hi", "ho"]), (whole.index('"ho"') + 2, ["hi"])):
            file = self.file("torn.json", whole[:size])
            os.utime(file, (1_000_000_000, 1_000_000_000))  # the program does not write it any more
            self.assertEqual(texts(self.ok("history", file).json["messages"]), said)
            run = self.fails(5, "verify", file, "--json")
            finding, = run.json["findings"]
            self.assertEqual((finding["kind"], finding["offset"] + finding["length"]), ("torn_tail", size))
            run = self.run_cli("convert", file, "--to", "native", "-o", self.folder / f"{size}.jsonl")
            self.assertEqual(run.code, 5, run)
            self.assertIn("the document is not complete", run.err)
            self.assertEqual(texts(self.ok("history", f"{size}.jsonl").json["messages"]), said)
            self.assertIn("damaged place(s)", self.fails(5, "import", file, "--store", self.folder / f"store{size}").err)
            os.utime(file)  # the program may be writing it
            run = self.fails(5, "import", file)
            self.assertIn("read it again when the program has saved it", run.err)
            self.assertFalse(self.file_of("blades-1").exists())

    def test_each_verb_that_reads_a_file_reads_the_document_and_each_that_writes_names_import(self):
        for name, content in self.SHAPES.items():
            file = self.file(name, content)
            before = self.names()
            self.assertEqual(self.ok("show", file).out, "user> hi\nassistant> ho\ncustom> n = 1 \n")
            self.assertEqual(texts(self.ok("history", file).json["messages"]), ["hi", "ho"])
            self.assertEqual(len(self.ok("tree", file, "--json").json["entries"]), 3)
            run = self.ok("verify", file, "--json")
            self.assertEqual(run.json["findings"], [])
            self.assertEqual([one["kind"] for one in run.json["notices"]], ["byte_order_mark"] if name == "marked.txt" else [])
            self.assertEqual(self.run_cli("diff", file, PI / "simple_chat.jsonl").code, 1)
            self.assertEqual(self.ok("search", "ho", "--in", file).out.count("ho"), 1)
            self.assertEqual(self.ok("stats", file, "--json").json["messages"], 2)
            self.assertIn("ho", self.ok("export", file).out)
            for verb in (["append", "--role", "user", "--text", "x"], ["rename", "x"], ["rm", "--yes"], ["doctor", "--repair"]):
                run = self.fails(2, verb[0], file, *verb[1:])
                self.assertIn(f"{file} belongs to blades", run.err, verb)
                self.assertIn(f"sessionkit import {file}", run.err, verb)
            self.assertEqual(file.read_text(), content)
            self.assertEqual(self.names(), before)

    def test_documents_that_a_store_keeps_are_its_sessions_and_elsewhere_they_are_only_read(self):
        (documents := self.folder / "docs").mkdir()
        for name, text in (("blades-1", "hi"), ("other", "you")):
            (documents / f"{name}.json").write_text(json.dumps({**BLADES, "id": name}))
        store = ["--store", f"blades:{documents}"]
        self.say("blades-1", "user", "more", *store)
        self.ok("new", "--id", "third", *store)
        self.assertEqual(texts(self.ok("history", "blades-1", *store).json["messages"]), ["hi", "ho", "more"])
        self.assertEqual(len(self.ok("ls", documents).out.splitlines()), 3)
        for verb in (["append", "other", "--role", "user", "--text", "x"], ["new"], ["rm", "other", "--yes"], ["reindex"]):
            run = self.fails(2, *verb, "--store", documents)
            self.assertIn(f"{documents} belongs to blades", run.err)
        self.assertEqual(texts(self.ok("history", "blades-1", "--store", documents).json["messages"]), ["hi", "ho", "more"])
        self.assertEqual([path.name for path in documents.iterdir() if path.suffix != ".json" and path.name[0] != "."], [])

    def test_a_document_comes_in_from_stdin_with_its_state(self):
        self.assertEqual(self.ok("import", "-", stdin=json.dumps(BLADES)).out, "blades-1\tcopied\t4\t4\n")
        self.assertEqual(self.ok("info", "blades-1", "--json").json["state"], {"n": 1})
        self.assertEqual(self.ok("import", "-", "--from", "blades", stdin=json.dumps(BLADES)).out, "blades-1\tsame\t4\t0\n")

    def test_a_document_among_a_stores_transcripts_is_named_too(self):
        self.say(self.new("--id", "mine"), "user", "x")
        (self.store / "alien.jsonl").write_text(json.dumps(BLADES) + "\n")
        run = self.fails(2, "history", "alien")
        self.assertIn("alien.jsonl' belongs to blades", run.err)
        self.assertIn(f"sessionkit import {self.store}/alien.jsonl", run.err)
        run = self.run_cli("verify")
        self.assertEqual(run.code, 2, run)
        self.assertIn("alien.jsonl' belongs to blades", run.err)
        self.assertIn("1 file(s) checked, no damage; 1 could not be checked", run.err)
        self.assertEqual(self.ok("rm", "alien", "--yes").out, "alien\n")

    def test_a_transcript_that_speaks_of_history_is_a_transcript(self):
        session = self.new()
        self.say(session, "user", json.dumps(BLADES))
        self.assertEqual(texts(self.ok("history", self.file_of(session)).json["messages"]), [json.dumps(BLADES)])
        first = self.file("odd.jsonl", '{"history":[],"state":{}}\n' + self.file_of(session).read_text())
        self.assertEqual(texts(self.ok("history", first).json["messages"]), [json.dumps(BLADES)])


class Nothing(Foreign):
    def test_a_file_without_entries_is_an_error_that_describes_its_content(self):
        for name, content, found in (("notes.txt", "dear diary\nsecond line\n", "2 damaged place(s)"),
                                     ("package.json", '{"name":"x","version":"1"}\n', "1 line(s) of no known type"),
                                     ("pretty.json", '{\n  "name": "x",\n  "list": [\n    {}\n  ]\n}\n', "damaged"),
                                     ("list.jsonl", "[1,2]\n[3]\n", "2 damaged place(s)"),
                                     ("nul.jsonl", b"\0" * 1000, "1 damaged place(s)"),
                                     ("torn.jsonl", '{"type":"session","version":3,"id', "1 damaged place(s)"),
                                     ("other.jsonl", '{"type":"turn_context","payload":{}}\n' * 300,
                                      "300 line(s) of no known type")):
            file = self.file(name, content)
            for verb in READERS:
                run = self.run_cli(*self.command(verb, file))
                self.assertEqual(run.code, 5, (name, verb, run))
                if verb[0] == "verify" and run.out:
                    continue  # its findings report it
                self.assertIn(f"'{file}' contains no session", run.err)
                self.assertIn(found, run.err)
            before = self.names()
            self.fails(5, "convert", file, "--to", "flat")
            self.assertEqual(self.names(), before)
        self.assertIn("dear diary", self.fails(5, "history", "notes.txt").err)

    def test_unknown_lines_after_a_header_are_not_reported_as_no_messages_yet(self):
        header = '{"type":"session","version":3,"agentId":"main","createdAt":1735689600000}\n'
        flat = '{"type":"user","content":"hi","ts":"2025-01-01T00:00:01Z"}\n'
        file = self.file("alien.jsonl", header + flat * 3)
        for verb in ("history", "show"):
            run = self.ok(verb, file)
            self.assertIn("3 line(s) are of no type that its format has", run.err)
            self.assertNotIn("no messages yet", run.err)
        run = self.ok("verify", file)
        self.assertIn("3 line(s)", run.err)
        self.assertIn("(user)", run.err)
        self.assertEqual(self.ok("verify", file, "--json").json["unknown_lines"], 3)
        mixed = self.file("mixed.jsonl", header + flat
                          + '{"type":"message","message":{"role":"user","content":"hi"},"timestamp":1735689601000}\n')
        self.assertEqual(self.ok("history", mixed).err, "")
        self.assertIn("1 line(s)", self.ok("verify", mixed).err)


class Headers(Foreign):
    """A member of another program's header in our own changes nothing."""

    def test_the_results_of_a_document_with_a_strange_member_are_there_once_converted(self):
        document = {**BLADES, "createdAt": 1735689600000, "history": [
            {"role": "user", "text": "hi"},
            {"role": "assistant", "text": "", "tool_calls": [{"id": "c1", "name": "n", "args": {}}]},
            {"role": "tool", "text": "", "tool_result": {"tool_call_id": "c1", "content": "RES"}}]}
        source = self.file("bc.json", json.dumps(document))
        for to in ("native", "flat", "panel"):
            self.run_cli("convert", source, "--to", to, "-o", f"{to}.jsonl")
            self.assertIn("RES", self.ok("history", f"{to}.jsonl").out, to)

    def test_files_of_claw0_and_pi_stay_theirs_and_are_continued_in_their_lines(self):
        flat = self.file("fc.jsonl", '{"type":"session","id":"f","key":"k","created":"2025-01-01T00:00:00Z",'
                         '"createdAt":1735689600000}\n{"type":"user","content":"hi","ts":"2025-01-01T00:00:01Z"}\n')
        self.assertEqual(texts(self.ok("history", flat).json["messages"]), ["hi"])
        self.say(flat, "assistant", "ho")
        self.assertEqual(json.loads(flat.read_text().splitlines()[-1])["type"], "assistant")
        lines = (PI / "tool_calls.jsonl").read_text().splitlines(keepends=True)
        pi = self.file("ca.jsonl", json.dumps({**json.loads(lines[0]), "createdAt": 5}) + "\n" + "".join(lines[1:]))
        self.assertEqual(self.ok("history", pi).json, self.ok("history", PI / "tool_calls.jsonl").json)
        self.say(pi, "user", "on")
        self.assertIn("parentId", json.loads(pi.read_text().splitlines()[-1]))

    def test_an_empty_file_is_a_session_that_has_not_begun_and_a_notice_says_so(self):
        for content in ("", "\n\n", "\ufeff", "\r\n"):
            file = self.file("empty.jsonl", content)
            run = self.ok("history", file)
            self.assertEqual(run.json, {"system": None, "messages": []})
            self.assertIn(f"'{file}' is empty", run.err)
            self.assertIn(f"'{file}' is empty", self.ok("show", file).err)
            self.assertEqual(self.ok("history", file, "--quiet").err, "")

    def test_a_history_that_is_empty_says_why(self):
        session = self.new()
        run = self.ok("history", session)
        self.assertEqual(run.json["messages"], [])
        self.assertIn("there are no messages yet", run.err)
        self.say(session, "user", " \n")
        run = self.ok("history", session)
        self.assertEqual(run.json["messages"], [])
        self.assertIn("--explain", run.err)
        self.assertNotIn("see why", self.ok("history", PI / "simple_chat.jsonl").err)

    def test_rm_removes_files_without_a_session(self):
        self.new("--id", "mine")
        (self.store / "garbage.jsonl").write_text("garbage\n")
        self.fails(5, "show", "garbage")
        self.assertEqual(self.ok("rm", "garbage", "--yes").out, "garbage\n")


class Missing(Foreign):
    def test_a_path_that_is_not_there_is_called_a_file_and_anything_else_a_session_of_the_store(self):
        for store in ("without", "with"):
            for name in ("mistyped.jsonl", "mistyped.json", "./mistyped", "no/such.jsonl"):
                for verb in ("history", "verify", "convert"):
                    run = self.fails(3, verb, name, *(["--to", "flat"] if verb == "convert" else []))
                    self.assertIn(f"there is no file '{name}'", run.err)
                    self.assertNotIn(str(self.store), run.err)
            run = self.fails(3, "history", "mistyped")
            self.assertIn("there is no session 'mistyped'", run.err)
            self.assertIn(f"'{self.store}'", run.err)
            self.assertIn("sessionkit ls" if store == "with" else "--store DIR", run.err)
            self.new()


class Output(Foreign):
    def test_a_dash_is_standard_output_and_an_empty_name_is_an_error(self):
        self.ok("convert", PI / "simple_chat.jsonl", "--to", "native", "-o", "file.jsonl")
        run = self.ok("convert", PI / "simple_chat.jsonl", "--to", "native", "-o", "-")
        self.assertEqual(run.out, (self.folder / "file.jsonl").read_text())
        self.fails(2, "convert", PI / "simple_chat.jsonl", "--to", "native", "-o", "-", "--json")
        self.fails(2, "convert", PI / "simple_chat.jsonl", "--to", "native", "-o", "")
        self.assertEqual(self.names(), ["file.jsonl"])

    def test_the_new_file_is_in_the_working_directory_and_never_in_a_store(self):
        session = self.new("--key", "main:cli:user")
        self.say(session, "user", "hi")
        before = sorted(self.store.iterdir())
        self.assertEqual(self.run_cli("convert", session, "--to", "flat").out, f"{session}.flat.jsonl\n")
        self.assertEqual(self.run_cli("convert", self.file_of(session), "--to", "panel").out, f"{session}.panel.jsonl\n")
        self.assertEqual(self.run_cli("convert", session, "--to", "blades").out, f"{session}.blades.json\n")
        self.assertEqual(sorted(self.store.iterdir()), before)
        self.assertEqual(len(self.ok("ls").out.splitlines()), 1)
        self.assertEqual(texts(self.ok("history", f"{session}.flat.jsonl").json["messages"]), ["hi"])
        self.assertIn("exists already", self.fails(4, "convert", session, "--to", "flat").err)

    def test_in_the_directory_of_a_store_a_name_is_asked_for(self):
        claw = self.folder / "claw"
        for key in ("main:cli:user", "main:cli:other"):
            key = self.ok("new", "--store", claw, "--profile", "claw0", "--key", key).out.strip()
            self.say(key, "user", "hi", "--store", claw)
        chat = self.fixture("simple_chat.jsonl")
        for folder in (claw, claw / "transcripts"):
            before = sorted(folder.iterdir())
            for source in (key, chat):
                run = self.fails(2, "convert", source, "--to", "native", "--store", claw, cwd=folder)
                self.assertIn("-o FILE", run.err)
                self.fails(2, "convert", chat, "--to", "flat", cwd=folder)  # whatever store it is
            self.assertEqual(sorted(folder.iterdir()), before)
            self.ok("convert", key, "--to", "native", "--store", claw, "-o", self.folder / f"{folder.name}.out", cwd=folder)

    def test_a_text_after_a_call_is_listed_if_its_order_is_lost(self):
        time = "2026-01-01T00:00:00.000Z"
        chat = self.file("a.jsonl", "".join(json.dumps(line) + "\n" for line in (
            {"type": "session", "version": 3, "id": "x", "timestamp": time, "cwd": "/p"},
            {"type": "message", "id": "u", "parentId": None, "timestamp": time, "message": {"role": "user", "content": "go"}},
            {"type": "message", "id": "a", "parentId": "u", "timestamp": time, "message": {"role": "assistant", "content": [
                {"type": "toolCall", "id": "t", "name": "read", "arguments": {}}, {"type": "text", "text": "words"}]}})))
        for to, code in (("flat", 5), ("blades", 5), ("panel", 0), ("native", 0)):
            run = self.run_cli("convert", chat, "--to", to)
            self.assertEqual((run.code, "left out: a: the order" in run.err), (code, code == 5), run)


class Names(Foreign):
    def test_names_of_profiles_and_providers_are_taken_with_hyphens_and_underscores(self):
        chat = PI / "simple_chat.jsonl"
        for name in ("ai_panel", "ai-panel"):
            self.assertEqual(len(self.ok("history", chat, "--profile", name).json["messages"]), 4)
            self.run_cli("convert", chat, "--profile", name, "-o", f"{name}.jsonl")
            self.ok("new", "--store", self.folder / name, "--profile", name)
        self.assertEqual((self.folder / "ai-panel.jsonl").read_text(), (self.folder / "ai_panel.jsonl").read_text())
        self.assertEqual(self.ok("history", chat, "--provider", "openai_responses").out,
                         self.ok("history", chat, "--provider", "openai-responses").out)
        self.assertEqual(self.ok("diff", chat, chat, "--provider", "openai_chat", "--json").json["provider"], "openai-chat")
        self.fails(2, "history", chat, "--profile", "aipanel")

    def test_claw0s_later_lines_have_no_header_and_lack_none(self):
        chat = self.file("v2.jsonl", "".join(json.dumps({"type": role, "content": "hi", "ts": 1700000000.5}) + "\n"
                                             for role in ("user", "assistant")))
        self.assertEqual(self.ok("verify", chat).out, "")
        self.ok("doctor", chat)
        self.assertIn("read only", self.fails(2, "append", chat, "--role", "user", "--text", "x").err)

    def test_the_output_is_utf8_whatever_the_log_contains(self):
        chat = self.file("a.jsonl", '{"type":"session","id":"x","key":"k","created":"2025-01-01T00:00:00Z"}\n'
                                    '{"type":"user","content":"a\\ud83d","ts":"2025-01-01T00:00:01Z"}\n')
        for verb in (["show"], ["history", "--explain"], ["tail"], ["history", "--report"]):
            run = self.run_program(verb[0], chat, *verb[1:])
            self.assertEqual(run.returncode, 0, run)
            self.assertIn("a\ufffd", (run.stdout + run.stderr).decode("utf-8"), verb)

    def test_entries_of_lines_without_ids_are_named_by_where_they_end(self):
        chat = self.fixture("simple_chat.jsonl")
        self.run_cli("convert", chat, "--to", "flat", "-o", "chat.flat.jsonl")
        entries = [entry["id"] for entry in self.ok("tree", "chat.flat.jsonl", "--json").json["entries"]]
        text = (self.folder / "chat.flat.jsonl").read_bytes()
        for entry in entries:
            self.assertEqual(text[int(entry[1:]) - 1:int(entry[1:]) + 1], b"}\n")  # as the help says
            for name in ("chat.flat.jsonl", "./chat.flat.jsonl"):
                run = self.ok("diff", f"{name}@{entry}", name, "--json")
                self.assertEqual(run.json["a"]["leaf"], entry)
        self.assertEqual(len(self.ok("history", "chat.flat.jsonl", "--leaf", entries[0]).json["messages"]), 1)
        for verb in ("diff", "fork", "show", "history"):
            self.assertIn("@246", self.ok(verb, "--help").out, verb)


READING = (["ls"], ["ls", "--json"], ["info", "@last"], ["show", "@last"], ["history", "@last"], ["tree", "@last"],
           ["log", "@last"], ["last"], ["context", "@last"], ["search", "the"], ["stats"], ["verify"], ["doctor"],
           ["export", "@last"], ["prune", "--most-bytes", "1", "--dry-run"])
WRITING = (["new"], ["rm", "@last", "--yes"], ["prune", "--most-bytes", "1", "--yes"], ["reindex"], ["doctor", "--repair"],
           ["append", "@last", "--role", "user", "--text", "x"], ["label", "@last", "a", "b"], ["archive", "@last"])


class Folders(Foreign):
    """A folder of another program is no store; what reads changes nothing in it, names, modes, times and bytes."""

    def tree(self, root):
        found = {}
        for path in [root, *root.rglob("*")]:
            status = path.lstat()
            found[path] = (status.st_mode, status.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        return found

    def copied(self, folder):
        root = self.folder / "copied"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(DATA / folder, root)
        return root

    def test_folders_of_other_programs_are_read_and_what_writes_is_refused_and_they_stay_as_they_are(self):
        runs = 0
        for folder, program in (("claude-code", "Claude Code"), ("codex", "Codex"), ("gemini-cli", "Gemini CLI"),
                                ("gemini-cli-json", "Gemini CLI"), ("opencode", "opencode")):
            for left_over in ((), (".lock",)):  # by an earlier version of us
                root = self.copied("foreign/" + folder)
                for name in left_over:
                    (root / name).write_text("")
                before = self.tree(root)
                for verb in (*READING, *WRITING):
                    run = self.run_cli(*verb, "--store", root)
                    runs += 1
                    self.assertEqual(self.tree(root), before, (folder, left_over, verb))
                    if verb in READING and verb[0] not in ("doctor", "prune"):
                        self.assertIn(run.code, (0, 1, 3), (folder, left_over, verb, run))  # 3: no answer to print
                    else:
                        self.assertEqual(run.code, 2, (folder, left_over, verb, run))
                        self.assertIn(f"belongs to {program}", run.err, (folder, left_over, verb))
                        self.assertIn("sessionkit import", run.err, (folder, left_over, verb))
        print(f"{runs} runs in folders of other programs changed nothing")

    def test_prune_takes_no_transcript_of_another_program(self):
        for folder in ("claude-code", "codex", "gemini-cli"):
            root = self.copied("foreign/" + folder)
            theirs = {path.name: path.read_bytes() for path in root.iterdir()}
            rows = {Path(name).stem: {"id": Path(name).stem, "filePath": name, "end": 1} for name in theirs}
            (root / ".lock").write_text("")  # as an earlier version of us left it
            (root / "sessions.json").write_text(json.dumps({"sessions": rows}))
            for verb in (["ls"], ["new", "--id", "ours"], ["prune", "--most", "0", "--most-bytes", "1", "--yes"]):
                self.run_cli(*verb, "--store", root)
            for name, content in theirs.items():
                self.assertEqual((root / name).read_bytes(), content, folder)

    def test_what_reads_changes_nothing_in_folders_of_programs_whose_lines_are_known(self):
        for folder in ("moving/openclaw", "moving/ai-panel", "moving/claw0", "pi"):
            root = self.copied(folder)
            before = self.tree(root)
            for verb in READING:
                run = self.run_cli(*verb, "--store", root)
                self.assertIn(run.code, (0, 1, 3, 5), (folder, verb, run)) # 1: search found nothing
                self.assertEqual(self.tree(root), before, (folder, verb))
        self.assertIn("agent:main:main", self.ok("ls", "--json", "--store", self.copied("moving/openclaw")).out)

    def test_read_only_changes_nothing_in_a_store_of_ours_and_refuses_what_writes(self):
        self.ok("new", "--store", self.store, "--id", "talk")
        self.ok("append", "talk", "--role", "user", "--text", "the first", "--store", self.store)
        self.ok("append", "talk", "--role", "assistant", "--text", "```\nthe answer\n```", "--store", self.store)
        (self.store / "sessions.json").unlink()
        before = self.tree(self.store)
        for verb in READING:
            run = self.run_cli(*verb, "--store", self.store, "--read-only")
            self.assertEqual(run.code, 5 if verb == ["doctor"] else 0, (verb, run))  # the index is missing
            self.assertEqual(self.tree(self.store), before, verb)
        for verb in WRITING:
            run = self.run_cli(*verb, "--store", self.store, "--read-only")
            self.assertNotEqual(run.code, 0, (verb, run))
            self.assertEqual(self.tree(self.store), before, verb)

    def test_directories_are_made_for_the_owner_alone(self):
        old = os.umask(0)
        self.addCleanup(os.umask, old)
        for store in (self.folder / "a/b/store", f"sqlite:{self.folder}/c/d/sessions.db"):
            self.ok("new", "--store", store)
        for path in self.folder.rglob("*"):
            self.assertEqual(path.lstat().st_mode & 0o077, 0, path)

    def test_a_directory_that_others_may_write_is_refused_unless_that_is_allowed(self):
        self.ok("new", "--store", self.store, "--id", "talk")
        self.store.chmod(0o770)
        run = self.run_cli("ls", "--store", self.store)
        self.assertEqual(run.code, 6, run)
        self.assertIn("chmod go-w", run.err)
        self.assertIn("talk", self.ok("ls", "--store", self.store, "--shared-directory").out)


if __name__ == "__main__":
    unittest.main()
