# SPDX-License-Identifier: MIT
"""Files of other programs as the store tool reads, refuses to change, imports and finds them."""
import json
import os
import shutil
import subprocess
import unittest

from engines import Postgres, Redis, why_missing
from support import DATA, PI, SESSIONKIT, ProgramTest

ROOT = DATA / "interchange"
PROGRAMS = {"claude-code": "Claude Code", "codex": "Codex", "gemini-cli": "Gemini CLI", "opencode": "opencode",
            "openai-agents": "OpenAI Agents SDK", "blades": "blades"}
# Each verb that reads: of a whole folder as the store, and of one of its sessions.
OF_STORE = (["ls"], ["ls", "--json"], ["ls", "-n", "0", "--json"], ["stats"], ["stats", "--json"], ["search", "the"],
            ["search", "-l", "e", "--hidden"], ["verify"], ["verify", "--json"], ["info"])
OF_SESSION = (["show"], ["show", "--json", "--hidden"], ["tree"], ["tree", "--json"], ["history"], ["log"], ["last"], ["context"],
              ["stats"], ["verify"], ["info"], ["export"], ["export", "--to", "html", "--hidden"], ["export", "--to", "jsonl"],
              ["tail"], ["path"])
PROFILES = {"claude-code": "claude-code", "codex": "codex", "gemini-cli": "gemini-cli", "opencode": "opencode",
            "openai-agents": "openai-agents", "blades": "blades"}
WRITING = (["new"], ["rm", "@last", "--yes"], ["rm", "@last", "--dry-run"], ["prune", "--most", "1", "--yes"],
           ["empty-trash", "--yes"], ["prune", "--most-bytes", "1", "--yes"], ["reindex"], ["doctor"], ["doctor", "--repair", "--transcripts"],
           ["append", "@last", "--role", "user", "--text", "x"], ["label", "@last", "a", "b"], ["archive", "@last"],
           ["restore", "@last"], ["rename", "@last", "x"], ["set", "@last", "state.a=1"], ["fork", "@last"],
           ["rewind", "@last", "x"], ["compact", "@last", "--summary", "S"])
WRITING_FILE = (["append", "--role", "user", "--text", "x"], ["label", "a", "b"], ["archive"], ["rename", "x"],
                ["set", "state.a=1"], ["fork"], ["rewind", "x"], ["compact", "--summary", "S"], ["doctor"], ["doctor", "--repair"],
                ["rm", "--yes"])


def scenarios():
    return sorted(path for program in ROOT.iterdir() for path in program.iterdir())


def program_of(scenario):
    return next(program for program in PROGRAMS if scenario.parent.name.startswith(program))


class InterchangeTest(ProgramTest):
    def tree(self, root):
        """Names, kinds, modes, owners, sizes, times of change and bytes; the time of reading is left out."""
        found = {}
        for path in [root, *sorted(root.rglob("*"))]:
            status = path.lstat()
            found[path] = (status.st_mode, status.st_uid, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns,
                           path.read_bytes() if path.is_file() else b"")
        return found

    def copied(self, source, name="theirs", age=3600):
        root = self.folder / name
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(source, root)
        for path in [*root.rglob("*"), root]:
            os.utime(path, (1_795_000_000 - age, 1_795_000_000 - age))
        return root

    def sessions(self, place):
        return self.ok("ls", place, "-n", "0", "--json").json["sessions"]


class ReadOnly(InterchangeTest):
    def verbs(self, root, program):
        """Each verb as it is written, with the exit codes that are right."""
        one = self.sessions(root)[0]["id"]
        for verb in OF_STORE:
            yield [*verb, "--store", root], (0, 1) if verb[0] == "search" else (0,)
            if verb[0] in ("ls", "stats", "verify"):
                yield [verb[0], root, *verb[1:]], (0,)
        yield ["search", "the", "--in", root], (0, 1)
        for verb in OF_SESSION:
            # A call without text has no last answer, and a session of a folder has no file of its own.
            codes = (0, 2) if verb[0] == "path" else (0, 3) if verb[0] == "last" else (0,)
            yield [verb[0], one, *verb[1:], "--store", root], codes
        yield ["history", one, "--profile", PROFILES[program], "--store", root], (0,)

    def test_each_verb_that_reads_changes_nothing(self):
        runs, programs = 0, set()
        for scenario in scenarios():
            program = program_of(scenario)
            root = self.copied(scenario)
            before = self.tree(root)
            for verb, codes in self.verbs(root, program):
                run = self.run_cli(*verb)
                runs += 1
                self.assertIn(run.code, codes, (scenario, verb, run))
                self.assertEqual(self.tree(root), before, (scenario, verb))
            programs.add(program)
        self.assertEqual(programs, set(PROGRAMS))
        print(f"{runs} runs in the files of {len(scenarios())} scenarios changed nothing")

    def test_files_on_a_read_only_mount_are_read_in_the_same_way(self):
        mount = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 99; ! touch "$1/x" 2>/dev/null || exit 98; '
        for scenario in [next(path for path in scenarios() if program_of(path) == program) for program in PROGRAMS]:
            root = self.copied(scenario)
            for verb, _ in [*self.verbs(root, program_of(scenario)), (["import", root, "--store", self.store], (0,))]:
                normal = self.run_cli(*verb)
                if verb[0] == "import":
                    shutil.rmtree(self.store)
                command = ["unshare", "-rm", "sh", "-c", mount + 'shift; exec "$@"', "sh", str(root), SESSIONKIT, *map(str, verb)]
                done = subprocess.run(command, capture_output=True, env=self.environment(), cwd=self.folder, timeout=60, check=False)
                if done.returncode in (1, 99) and not normal.code and b"unshare" in done.stderr + b"mount" * (done.returncode == 99):
                    self.skipTest("this machine lets nobody mount")
                self.assertEqual((done.returncode, done.stdout.decode()), (normal.code, normal.out), (verb, done))

    def test_each_verb_that_writes_refuses_says_whose_it_is_and_names_import(self):
        runs = 0
        for scenario in [next(path for path in scenarios() if program_of(path) == program) for program in PROGRAMS]:
            program, root = program_of(scenario), self.copied(scenario)
            before = self.tree(root)
            for verb in WRITING:
                for store in (root, f"file:{root}"):
                    self.refused(program, root, *verb, "--store", store)
                    runs += 1
            files = [path for path in root.rglob("*") if path.is_file() and "afterkill" not in path.parts
                     and self.run_cli("ls", path).code == 0]
            self.assertTrue(files, scenario)
            for verb in WRITING_FILE:
                self.refused(program, files[0], verb[0], files[0], *verb[1:])
                runs += 1
            if program in ("opencode", "openai-agents") and files[0].suffix == ".db":
                self.refused(program, files[0], "new", "--store", f"sqlite:{files[0]}")
                self.refused(program, files[0], "reindex", "--store", f"sqlite:{files[0]}")
            self.refused(program, root, "cp", DATA / "pi/simple_chat.jsonl", root)
            self.refused(program, root, "import", DATA / "pi/simple_chat.jsonl", "--store", root)
            self.refused(program, root, "import", DATA / "pi/simple_chat.jsonl", "--store", root, "--dry-run")
            self.assertEqual(self.tree(root), before, scenario)
        print(f"{runs} runs that would write were refused")

    def refused(self, program, place, *verb):
        run = self.fails(2, *verb)
        self.assertIn(f"{place} belongs to {PROGRAMS[program]}", run.err, verb)
        self.assertIn(f"sessionkit import {place}", run.err, verb)
        self.assertEqual(run.out, "", verb)

    def test_a_folder_with_sessions_of_ours_is_ours_and_settings_are_not_opened(self):
        root = self.copied(ROOT / "claude-code-2.1.330/tools")
        transcript = next(root.rglob("*.jsonl"))
        self.new("--id", "mine")
        shutil.copyfile(transcript, self.store / "a.jsonl")
        self.say("mine", "user", "hello")
        self.assertIn("hello", self.ok("show", "mine").out)
        for name in ("auth.json", ".credentials.json", "settings.json", "config.toml"):
            (root / name).write_text("{}")
        done = subprocess.run(["strace", "-f", "-e", "trace=open,openat", SESSIONKIT, "ls", root, "--json"], capture_output=True,
                              env=self.environment(), timeout=60, check=False) if shutil.which("strace") else None
        if done and b"Operation not permitted" not in done.stderr:
            self.assertIn(transcript.name.encode(), done.stderr)
            for name in (b"auth.json", b".credentials.json", b"settings.json", b"config.toml"):
                self.assertNotIn(name, done.stderr)

    def test_what_the_program_added_is_shown_only_if_asked_for(self):
        root = self.copied(ROOT / "claude-code-2.1.330/tools")
        for verb in (["show"], ["export"]):
            one = self.sessions(root)[0]["id"]
            self.assertNotIn("attachment", self.ok(verb[0], one, "--store", root).out)
            self.assertIn("attachment", self.ok(verb[0], one, "--store", root, "--hidden").out)
        self.assertEqual(self.run_cli("search", "claude-code.attachment", "--in", root).code, 1)
        self.assertEqual(self.run_cli("search", "claude-code.attachment", "--in", root, "--hidden").code, 0)

    def test_a_folder_of_several_conversations_is_no_session_and_each_is_named(self):
        root = self.copied(ROOT / "codex-0.169.0/fork")
        run = self.fails(2, "show", root)
        for row in self.sessions(root):
            self.assertIn(row["id"], run.err)
            self.assertTrue(self.ok("show", row["id"], "--store", root).out)
        self.assertIn(f"--store {root}", run.err)
        self.assertEqual(len(self.sessions(root)), 2)

    def test_damage_is_found_and_located_in_the_files_of_the_program(self):
        root = self.copied(ROOT / "claude-code-2.1.330/tools")
        transcript = next(root.rglob("*.jsonl"))
        lines = transcript.read_bytes().splitlines(keepends=True)
        transcript.write_bytes(b"".join([*lines[:9], b'{"type":\n', *lines[9:]]))
        for place in (transcript, root):
            run = self.run_cli("verify", place, "--json")
            self.assertEqual(run.code, 5, run)
            finding, = run.json["findings"]
            self.assertEqual((finding["offset"], finding["kind"]), (len(b"".join(lines[:9])), "bad_json"))
            self.assertIn(transcript.name, finding["file"])


class Import(InterchangeTest):
    def rows(self, *args, code=None):
        run = self.run_cli("import", *args, "--json")
        if code is not None:
            self.assertEqual(run.code, code, run)
        return run.json["sessions"]

    def test_a_second_import_writes_nothing_and_each_session_is_whole(self):
        counts = {}
        for scenario in scenarios():
            root, store = self.copied(scenario), self.folder / "-".join(scenario.parts[-2:])
            first = self.rows(root, "--store", store, "--on-conflict", "rename")
            self.assertEqual({row["result"] for row in first} - {"copied", "same"}, set(), scenario)
            again = self.rows(root, "--store", store, "--on-conflict", "rename")
            self.assertEqual({row["result"] for row in again}, {"same"}, scenario)
            self.assertEqual(sum(row["written"] for row in again), 0, scenario)
            self.assertEqual([row["id"] for row in again], [row["id"] for row in first], scenario)
            self.assertEqual(self.ok("verify", "--store", store, "--json").json["findings"], [], scenario)
            counts[program_of(scenario)] = counts.get(program_of(scenario), 0) + len(first)
            for row in first:
                theirs = self.ok("history", row["id"], "--store", root, "--profile", PROFILES[program_of(scenario)]).out
                ours = self.ok("history", row["id"], "--store", store, "--profile", PROFILES[program_of(scenario)]).out
                self.assertEqual(ours, theirs, (scenario, row["id"]))
        self.assertEqual(set(counts), set(PROGRAMS))
        print("imported twice, 0 lines written:", counts)

    def test_what_was_imported_comes_back_through_files_sqlite_redis_and_postgresql(self):
        stores = [self.folder / "first", f"sqlite:{self.folder / 'second.db'}"]
        for scheme, server in (("redis", Redis), ("postgres", Postgres)):
            if not why_missing(server, scheme):
                started = server()
                self.addCleanup(started.stop)
                stores.append(started.url)
        stores.append(self.folder / "last")
        profiles = {}
        for scenario in scenarios():
            rows = self.rows(self.copied(scenario), "--store", stores[0], "--on-conflict", "rename")
            profiles.update({row["id"]: PROFILES[program_of(scenario)] for row in rows})
        for source, target in zip(stores, stores[1:]):
            copied = self.ok("cp", source, target, "--json").json["sessions"]
            self.assertEqual({row["id"] for row in copied}, set(profiles), target)
        for session, profile in profiles.items():
            first, last = (self.ok("history", session, "--store", store, "--profile", profile).out
                           for store in (stores[0], stores[-1]))
            self.assertEqual(last, first, session)
        print(f"{len(profiles)} sessions through {len(stores)} stores: the same histories")

    def test_a_dry_run_writes_nothing_and_from_names_one_program(self):
        root = self.copied(ROOT / "claude-code-2.1.330/tools")
        shutil.copytree(ROOT / "codex-0.169.0/tools", root / "codex")
        self.assertEqual({row["result"] for row in self.rows(root, "--dry-run")}, {"missing"})
        self.assertFalse(self.store.exists())
        for name in ("codex", "claude-code"):
            rows = self.rows(root, "--from", name, "--dry-run")
            self.assertEqual({row["report"]["program"] for row in rows}, {PROGRAMS[name]})
        run = self.fails(2, "import", root, "--from", "gemini-cli")
        self.assertIn("no conversation of Gemini CLI", run.err)
        run = self.fails(2, "import", DATA / "pi/simple_chat.jsonl", "--from", "codex")
        self.assertIn("no conversation of Codex", run.err)

    def test_cp_copies_a_file_and_a_folder_of_another_program(self):
        for source in (root := self.copied(ROOT / "codex-0.169.0/tools"), next(root.rglob("rollout-*.jsonl"))):
            target = self.folder / f"copy-{source.name}"
            row, = self.ok("cp", source, target, "--json").json["sessions"]
            self.assertEqual(row["result"], "copied")
            self.assertEqual(self.ok("show", row["id"], "--store", target).out, self.ok("show", source).out)

    def two_of_one_id(self):
        one = ROOT / "claude-code-2.1.330/tools"
        root = self.copied(one)
        other = next((ROOT / "claude-code-2.1.330/compact").rglob("*.jsonl"))
        (root / "other").mkdir()
        shutil.copyfile(other, root / "other" / next(one.rglob("*.jsonl")).name)
        return root, next(one.rglob("*.jsonl")).stem

    def test_two_files_of_one_session_id_are_a_reported_conflict_in_each_mode(self):
        root, session = self.two_of_one_id()
        for mode, code, results in (("skip", 4, ["copied", "skipped"]), ("rename", 0, ["copied", "copied"])):
            store = self.folder / mode
            run = self.run_cli("import", root, "--on-conflict", mode, "--store", store, "--json")
            self.assertEqual((run.code, sorted(row["result"] for row in run.json["sessions"])), (code, results), run)
            self.assertIn(f"another conversation with the id '{session}'", run.err)
            self.assertEqual([row["report"]["conflict"] for row in run.json["sessions"]].count(True), 1)
            self.assertEqual(len(self.ok("ls", store, "--json").json["sessions"]), results.count("copied"))
        store = self.folder / "fail"
        run = self.run_cli("import", root, DATA / "pi/simple_chat.jsonl", "--on-conflict", "fail", "--store", store, "--json")
        self.assertEqual(run.code, 4, run)
        self.assertIn(f"another conversation with the id '{session}'", run.err)
        self.assertEqual(run.json["sessions"][-1]["result"], "conflict")
        self.assertNotIn("simple_chat", "".join(row["file"] for row in run.json["sessions"]))
        self.assertEqual(self.rows(root, "--on-conflict", "rename", "--store", self.folder / "rename")[0]["written"], 0)

    def test_a_session_of_the_store_that_has_the_id_is_a_reported_conflict_in_each_mode(self):
        session = next((ROOT / "claude-code-2.1.330/tools").rglob("*.jsonl")).stem
        root = self.copied(ROOT / "claude-code-2.1.330/tools")
        self.new("--id", session)
        self.say(session, "user", "another conversation")
        mine = self.file_of(session).read_bytes()
        for mode, code, result in (("skip", 4, "skipped"), ("fail", 4, "conflict"), ("rename", 0, "copied"), ("rename", 0, "same")):
            run = self.run_cli("import", root, "--on-conflict", mode, "--json")
            row, = run.json["sessions"]
            self.assertEqual((run.code, row["result"], row["report"]["conflict"]), (code, result, True), run)
            self.assertIn(f"'{self.store}' has another conversation with the id '{session}'", run.err)
            self.assertEqual(self.file_of(session).read_bytes(), mine)
            self.assertEqual(row["id"] == session, mode != "rename")

    def test_a_conversation_that_grew_is_completed_and_one_that_is_continued_here_stays(self):
        for folder, pattern in (("claude-code-2.1.330/tools", "*.jsonl"), ("codex-0.169.0/tools", "*.jsonl"),
                                ("gemini-cli-0.61.0/tools", "session-*.jsonl")):
            source = next((ROOT / folder).rglob(pattern))
            lines = source.read_bytes().splitlines(keepends=True)
            file, written = self.folder / source.name, 0
            store = ["--store", self.folder / folder.replace("/", "-")]
            for end in range(6, len(lines) + 1, 3):
                file.write_bytes(b"".join(lines[:end]))  # it was changed now, so it may grow
                run = self.run_cli("import", file, *store, "--json")
                self.assertIn(run.code, (0, 5), run)
                row, = run.json["sessions"]
                self.assertIn(row["result"], ("copied", "completed", "same"), (folder, end, run))
                written += row["written"]
            file.write_bytes(b"".join(lines))
            os.utime(file, (1_000_000_000, 1_000_000_000))  # nothing is held back any more
            row, = self.rows(file, *store)
            written += row["written"]
            self.assertEqual(row["lines"], written, folder)
            self.ok("append", row["id"], "--role", "user", "--text", "and here", *store)
            self.assertEqual(self.rows(file, *store)[0]["result"], "ahead")

    def test_a_document_of_blades_that_grew_is_completed_and_its_state_comes_with_its_end(self):
        document = json.loads((ROOT / "blades-1/tools/tools.json").read_text())
        history, file = document["history"], self.folder / "tools.json"
        for count in range(1, len(history) + 1):  # as a program on blades saves it
            file.write_text(json.dumps({**document, "history": history[:count], "updated_at": f"2026-11-20T09:00:0{count}Z",
                                        "state": {"__summary_offset__": count}}))
            row, = self.rows(file, code=0)
            self.assertEqual((row["result"], row["written"], row["report"]["held_back"]),
                             ("copied" if count == 1 else "completed", 2 if count == 1 else 1, 1))
        os.utime(file, (1_000_000_000, 1_000_000_000))  # nothing is held back any more
        row, = self.rows(file, code=0)
        self.assertEqual((row["result"], row["written"]), ("completed", 1))
        self.assertEqual(self.ok("info", "tools", "--json").json["state"], {"__summary_offset__": len(history)})
        self.assertEqual(self.rows(file, code=0)[0]["result"], "same")
        self.ok("append", "tools", "--role", "user", "--text", "and here")
        self.assertEqual(self.rows(file, code=0)[0]["result"], "ahead")

    def test_a_document_of_blades_that_went_on_after_its_state_was_imported_is_completed(self):
        document = json.loads((ROOT / "blades-1/tools/tools.json").read_text())
        history, file = document["history"], self.folder / "tools.json"
        states = [{"a": 1, "b": 2}, {"a": 1, "b": 2}, {"a": 3}, {}, {"c": [1]}]
        for count, state in enumerate(states, 3):
            file.write_text(json.dumps({**document, "history": history[:count], "updated_at": f"2026-11-20T09:00:0{count}Z",
                                        "state": state}))
            for finished in (False, True):
                os.utime(file, (1_000_000_000, 1_000_000_000) if finished else None)
                self.assertEqual(self.rows(file, code=0)[0]["result"],
                                 "copied" if count == 3 and not finished else
                                 "completed" if not finished or state else "same", (count, finished))
                self.assertEqual(self.rows(file, code=0)[0]["result"], "same", (count, finished))
            said = self.ok("history", file).json["messages"]
            self.assertEqual(self.ok("history", "tools").json["messages"], said)
            if state:
                self.assertEqual(self.ok("info", "tools", "--json").json["state"], state)
        self.assertEqual(self.ok("verify", "--json").json["findings"], [])
        file.write_text(json.dumps({**document, "history": [history[1], *history[1:]]}))  # an earlier message is another one
        self.assertTrue(self.rows(file, code=4)[0]["report"]["conflict"])


class Discover(InterchangeTest):
    def test_the_usual_places_are_found_below_home_and_where_variables_say(self):
        places = {".claude/projects": "claude-code-2.1.330/tools/projects", ".codex/sessions": "codex-0.169.0/fork/sessions",
                  ".gemini/tmp": "gemini-cli-0.61.0/tools/tmp",
                  ".local/share/opencode/storage": "opencode-1.1.53/tools/storage"}
        for place, source in places.items():
            shutil.copytree(ROOT / source, self.folder / place)
        shutil.copyfile(ROOT / "opencode-1.18.33/tools/opencode.db", self.folder / ".local/share/opencode/opencode.db")
        before = self.tree(self.folder)
        found = self.ok("discover", "--json").json["found"]
        self.assertEqual(self.tree(self.folder), before)
        self.assertEqual([(row["program"], row["sessions"]) for row in found],
                         [("Claude Code", 1), ("Codex", 2), ("Gemini CLI", 1), ("opencode", 1), ("opencode", 1)])
        for row in found:
            self.assertEqual(len(self.sessions(row["place"])), row["sessions"])
            self.assertEqual(self.run_cli("import", row["place"], "--dry-run").code, 0)
        moved = {"CLAUDE_CONFIG_DIR": self.folder / "c", "CODEX_HOME": self.folder / "x", "XDG_DATA_HOME": self.folder / "d"}
        self.assertEqual([row["program"] for row in self.ok("discover", "--json", env=moved).json["found"]], ["Gemini CLI"])
        shutil.move(self.folder / ".codex", self.folder / "x")
        self.assertEqual([row["program"] for row in self.ok("discover", "--json", env=moved).json["found"]], ["Codex", "Gemini CLI"])

    def test_the_folders_of_pis_projects_are_found(self):
        projects = self.folder / ".pi/agent/sessions"
        for project, names in (("--home-ada-shop--", ["simple_chat", "tool_calls"]), ("--home-ada-notes--", ["branches_labels"])):
            (projects / project).mkdir(parents=True)
            for name in names:
                shutil.copyfile(PI / f"{name}.jsonl", projects / project / f"2025-11-04T08-00-00-000Z_{name}.jsonl")
        (projects / "--home-ada-empty--").mkdir()
        before = self.tree(self.folder)
        run = self.ok("discover", "--json")
        found = run.json["found"]
        self.assertEqual(self.tree(self.folder), before)
        self.assertEqual([(row["program"], row["sessions"], row["place"]) for row in found],
                         [("pi", 1, f"{projects}/--home-ada-notes--"), ("pi", 2, f"{projects}/--home-ada-shop--")])
        self.assertEqual(found[1]["bytes"], sum((PI / f"{name}.jsonl").stat().st_size for name in ("simple_chat", "tool_calls")))
        self.assertIn("import PLACE/*.jsonl", run.err)
        self.assertEqual(len(self.ok("ls", found[1]["place"], "--read-only").out.splitlines()), 2)
        self.assertEqual(self.ok("discover", env={"PI_CODING_AGENT_DIR": self.folder / "none"}).out, "")

    def test_roots_are_looked_at_and_nothing_is_no_failure(self):
        self.assertEqual(self.ok("discover").out, "")
        self.assertIn("no conversation", self.ok("discover", self.folder).err)
        self.assertEqual(self.fails(3, "discover", self.folder / "none").out, "")
        rows = [line.split("\t") for line in self.ok("discover", ROOT).out.splitlines()]
        self.assertEqual({row[0] for row in rows}, set(PROGRAMS.values()))
        self.assertTrue(all(int(row[1]) > 0 and int(row[2]) > 0 and row[4] == str(ROOT) for row in rows), rows)


if __name__ == "__main__":
    unittest.main()
