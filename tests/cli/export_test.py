# SPDX-License-Identifier: MIT
"""export and import: pages that no text can break out of, and sessions that are exported and imported again."""
import html.parser
import json
import re
import shutil
import unittest

from support import DATA, PI, ProgramTest, texts

EVIL = ["<script>alert(1)</script>", "</div></article></main><h1>x</h1>", '"><img src=x onerror=alert(1)>', "<!-- ",
        "```\n## assistant · 2026-01-01T00:00:00.000Z\n<b>x</b>", "~~~~\n<i>open fence", "![spy](http://spy.example/p.png)",
        "\x1b]52;c;eA==\x07", "a\u202eb", "&lt;script&gt;", "## user · now\n\n> forged"]


class Page(html.parser.HTMLParser):
    """The elements of a page, its text, and what is folded: the summaries with the texts below."""

    VOID = ("meta", "br", "img", "hr")

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.said, self.folded = [], [], "", []
        self.within, self.strays = [], []  # the open elements; ends of elements that are not the innermost
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.within.append(tag)
        if tag == "details":
            self.folded.append(["", ""])

    def handle_endtag(self, tag):
        if self.within and self.within[-1] == tag:
            self.within.pop()
        else:
            self.strays.append(tag)

    def handle_data(self, data):
        self.said += data
        if "details" in self.within:
            self.folded[-1]["summary" not in self.within] += data


def outside_code(text):
    """The lines of Markdown outside blocks of code, and the texts of these blocks."""
    lines, blocks, fence = [], [], None
    for line in text.splitlines():
        mark = re.match(r"`{3,}", line)
        if fence is None and mark:
            fence = mark[0]
            blocks.append([])
        elif fence is not None and re.fullmatch(r"`{%d,} *" % len(fence), line):
            fence = None
        else:
            (lines if fence is None else blocks[-1]).append(line)
    assert fence is None, "a block of code has no end"
    return lines, ["\n".join(block) for block in blocks]


class Export(ProgramTest):
    def evil_session(self):
        session = self.new("--id", "evil", "--title", EVIL[1], "--key", EVIL[2], "--user", EVIL[0])
        for i, text in enumerate(EVIL):
            self.say(session, ("user", "assistant")[i % 2], text, "--entry-id", f"{i}{EVIL[2]}")
        self.call_tools(session, EVIL)
        return session

    def call_tools(self, session, names):
        """Each text is the name of a tool, its input, its result, the error of another call, and a thought."""
        lines = self.file_of(session).read_text().splitlines()
        last = json.loads(lines[-1])["id"]
        for i, text in enumerate(names):
            calls = [{"type": "toolCall", "id": f"{k}{i}{text}", "name": text, "arguments": {text: text}} for k in "ab"]
            messages = [{"role": "assistant", "content": [{"type": "thinking", "thinking": text}, *calls]}]
            messages += [{"role": "toolResult", "toolCallId": call["id"], "toolName": text, "isError": call is calls[1],
                          "content": [{"type": "text", "text": text}, {"type": text, "text": text}, {"type": "image", "data": text, "mimeType": "image/png"},
                                      {"type": "image", "data": "eA==", "mimeType": f"image/png{text}"}]} for call in calls]
            for k, message in enumerate(messages):
                entry = {"type": "message", "id": f"t{i}{k}", "parentId": last, "timestamp": "2026-01-01T00:00:00.000Z", "message": message}
                lines.append(json.dumps(entry))
                last = entry["id"]
        self.file_of(session).write_text("".join(f"{line}\n" for line in lines))

    def test_a_file_of_a_format_that_is_not_written_is_refused(self):
        session = self.evil_session()
        for extension in (".pdf", ".docx", ".odt"):
            file = self.folder / f"talk{extension}"
            run = self.fails(2, "export", session, "-o", file)
            self.assertIn(f"export writes no {extension} files", run.err)
            self.assertIn("-o FILE.html", run.err)
            self.assertFalse(file.exists())

    def test_nothing_that_was_said_is_an_element_of_the_page(self):
        page = Page(self.ok("export", self.evil_session(), "--to", "html", "--thinking").out)
        known = {"html", "head", "meta", "title", "style", "body", "header", "h1", "dl", "dt", "dd", "main", "article", "h2", "time", "div", "nav", "ol", "li", "a",
                 "p", "pre", "code", "br", "details", "summary", "span"}
        self.assertLessEqual(set(page.tags), known)
        self.assertEqual(page.tags.count("article"), len(EVIL) + 1 + 3 * len(EVIL))  # the title is an entry too
        self.assertFalse([name for name, _ in page.attributes if name.startswith("on")])
        self.assertIn(("content", "default-src 'none'; style-src 'unsafe-inline'; img-src data:"), page.attributes)
        self.assertFalse([value for name, value in page.attributes if name == "href" and not value.startswith("#")])
        for text in (EVIL[0], EVIL[2], "&lt;script&gt;", "<!--"):
            self.assertIn(text, page.said)
        self.assertEqual((page.strays, page.within), ([], []))

    def test_tools_and_thoughts_are_folded_and_no_text_leaves_its_fold(self):
        page = Page(self.ok("export", self.evil_session(), "--to", "html", "--thinking").out)
        self.assertNotIn("open", [name for name, _ in page.attributes])
        self.assertEqual(page.tags.count("details"), 5 * len(EVIL))
        self.assertEqual(page.tags.count("summary"), 5 * len(EVIL))
        folded = iter(page.folded)
        for text in EVIL:
            shown = text.replace("\x1b", r"\x1b").replace("\x07", r"\x07").replace("\u202e", r"\u202e")
            name = re.sub(r"[\n\x1b\x07]", " ", text).replace("\u202e", r"\u202e")
            result = f"{shown}[{shown}][image/png][image/png{shown}]"
            self.assertEqual(next(folded), ["thinking", shown])
            for _ in range(2):
                summary, arguments = next(folded)
                self.assertEqual((summary, json.loads(arguments)), (f"calls {name}", {text: text}))
            self.assertEqual(next(folded), [f"result of {name}", result])
            self.assertEqual(next(folded), [f"error of {name}", result])

    def test_nothing_that_was_said_leaves_its_quote_in_markdown(self):
        text = self.ok("export", self.evil_session(), "--thinking").out
        lines, blocks = outside_code(text)
        headings = [line for line in lines if line.startswith("#")]
        self.assertEqual(len(headings), 1 + len(EVIL) + 1 + 3 * len(EVIL))
        self.assertTrue(all(re.match(r"# |## (user|assistant|title|tool) · 20", line) for line in headings), headings)
        marks = r"\*(thinking|calls .*|(result|error) of .*|\\\[.*\])\*"
        self.assertFalse([line for line in lines if line and line[0] not in ">#-" and not re.fullmatch(marks, line)])
        self.assertEqual(len(blocks), 4 * len(EVIL))  # two calls and their results
        self.assertEqual([json.loads(block) for block in blocks[::4]], [{name: name} for name in EVIL])
        said = "\n".join(lines)
        self.assertNotRegex(said, r"(?<!\\)<(script|img|!--|/div)")
        self.assertNotIn("![spy", said)
        self.assertNotIn("\x1b", text)

    MARKDOWN = ("# Heading\n\nSome **bold** and `code`, [a link](https://example.org/?a=1&b=2).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
                "- one\n- two\n\n```python\ndef f(x):  # a comment\n    return 'text' + str(12)\n```\n\n```diff\n-old\n+new\n```\n"
                "\n```nobody\nif x < 1 & 2\n```\n\n[bad](javascript:alert(1)) [worse](data:text/html,x) ![spy](https://spy.example/p.png)\n")

    def page_of(self, answer):
        session = self.new("--title", "A talk")
        self.say(session, "user", "What is **this**?\nTell me.")
        self.say(session, "assistant", answer)
        text = self.ok("export", session, "--to", "html").out
        return text, Page(text)

    def test_an_answer_is_shown_as_the_markdown_it_is(self):
        text, page = self.page_of(self.MARKDOWN)
        if "markdown" not in [value for name, value in page.attributes if name == "class"]:
            self.skipTest("built without md4c")
        for element in ("h3", "strong", "table", "th", "td", "ul", "li", "pre", "code"):
            self.assertIn(element, page.tags)
        self.assertIn("**this**", page.said)  # a person's words are as they were typed
        self.assertNotIn("**bold**", page.said)
        links = [value for name, value in page.attributes if name == "href"]
        self.assertEqual([link for link in links if not link.startswith("#")],
                         ["https://example.org/?a=1&b=2", "https://spy.example/p.png"])
        self.assertNotIn("img", page.tags)
        self.assertNotIn("script", page.tags)

    def test_code_is_coloured_and_no_character_of_it_is_lost(self):
        text, page = self.page_of(self.MARKDOWN)
        for kind, word in (("hk", "def"), ("hk", "return"), ("hc", "# a comment"), ("hs", "&#39;text&#39;"), ("hn", "12"),
                           ("hd", "-old\n"), ("ha", "+new\n")):
            self.assertIn(f'<span class="{kind}">{word}</span>', text)
        self.assertIn("def f(x):  # a comment\n    return 'text' + str(12)\n", page.said)
        self.assertIn("if x < 1 & 2\n", page.said)

    def test_the_contents_lead_to_each_question_and_times_follow_one_another(self):
        file = self.fixture("simple_chat.jsonl")
        text = self.ok("export", file, "--to", "html").out
        page = Page(text)
        ids = [value for name, value in page.attributes if name == "id"]
        targets = [value[1:] for name, value in page.attributes if name == "href"]
        self.assertEqual(targets, ["contents", "9c6d4a97", "1435c6af"])
        self.assertLessEqual(set(targets), set(ids))
        self.assertIn('title="2025-11-03T08:00:01.807Z">2025-11-03 08:00 UTC</time>', text)
        self.assertIn('title="2025-11-03T08:00:05.883Z">+3 s</time>', text)
        self.assertIn("color-scheme: light dark", text)
        self.assertNotRegex(text, r"(src|href)=\"(?!#|data:)")

    def test_titles_in_markdown_have_the_backslashes_that_they_need_and_no_others(self):
        for title, written in (("Fix v1.2 (now!) - see #12, a_b|c: 50% + {x}", "Fix v1.2 (now!) - see #12, a_b|c: 50% + {x}"),
                               ("*a* _b_ [c](d) `e` <b> &amp; ~f~ $g$", r"\*a\* \_b\_ \[c](d) \`e\` \<b> \&amp; \~f\~ \$g\$"),
                               ("a < b & c \\ d \\* e #", r"a < b & c \ d \\\* e \#"), ("1 < 2 && x_y_z", "1 < 2 && x_y_z")):
            session = self.new("--title", title)
            self.assertEqual(self.ok("export", session).out.splitlines()[0], f"# {written}")
        self.assertIn("\n- created: 2025-11-03T08:00:00.000Z\n", self.ok("export", PI / "simple_chat.jsonl").out)

    def test_a_long_answer_takes_time_in_proportion(self):
        for hostile in ("[" * 200_000, "*a_" * 60_000, "`" * 100_000 + "x", "> " * 20_000, "| a " * 40_000 + "\n" + "|-" * 40_000):
            self.page_of(hostile)

    def test_images_are_in_the_page_or_named(self):
        file = self.fixture("unicode_images.jsonl")
        page = Page(self.ok("export", file, "--to", "html").out)
        sources = [value for name, value in page.attributes if name == "src"]
        self.assertTrue(sources)
        self.assertTrue(all(source.startswith("data:image/") for source in sources))
        self.assertIn("](data:image/", self.ok("export", file).out)

    def test_lines_come_out_as_they_are_from_any_store(self):
        lines = (PI / "branches_labels.jsonl").read_bytes()
        self.assertEqual(self.ok("export", PI / "branches_labels.jsonl", "--to", "jsonl").out.encode(), lines)
        store = f"sqlite:{self.folder}/s.db"
        (self.folder / "branches_labels.jsonl").write_bytes(lines)
        session = self.ok("import", "branches_labels.jsonl", "--store", store).out.split("\t")[0]
        self.assertEqual(self.ok("export", session, "--to", "jsonl", "--store", store).out.encode(), lines)

    def test_a_file_is_new_for_its_owner_and_whole_or_not_there(self):
        self.ok("export", PI / "simple_chat.jsonl", "-o", "talk.html")
        self.assertEqual((self.folder / "talk.html").stat().st_mode & 0o777, 0o600)
        self.assertTrue((self.folder / "talk.html").read_text().startswith("<!doctype html>"))
        self.fails(4, "export", PI / "simple_chat.jsonl", "-o", "talk.html")
        self.fails(3, "export", PI / "simple_chat.jsonl", "-o", "other.md", "--leaf", "nope")
        self.assertFalse((self.folder / "other.md").exists())

    def test_damage_is_reported_and_skipped(self):
        file = self.fixture("edge_malformed_middle.jsonl")
        for to in ("markdown", "html", "jsonl"):
            self.assertIn("damaged place", self.ok("export", file, "--to", to).err)


class Import(ProgramTest):
    def test_files_of_every_format_are_imported_with_their_content(self):
        flat = DATA / "flat"
        files = [PI / "simple_chat.jsonl", PI / "legacy_v1.jsonl", *sorted(flat.glob("0[1-3]*/*.jsonl"))]
        for number, file in enumerate(files):
            name = self.folder / f"f{number}.jsonl"
            shutil.copyfile(file, name)
            before = self.ok("history", name, "--mode", "faithful").json
            store = ["--store", self.folder / f"store{number}"]  # two of them have the same id
            session = self.ok("import", name, *store).out.split("\t")[0]
            self.assertEqual(self.ok("history", session, "--mode", "faithful", *store).json, before, file)

    def test_stdin_comes_in_and_again_adds_nothing(self):
        lines = (PI / "simple_chat.jsonl").read_text()
        session, result, *_ = self.ok("import", "-", stdin=lines).out.split("\t")
        self.assertEqual(result, "copied")
        self.assertEqual(self.ok("import", "-", stdin=lines).out.split("\t")[1], "same")
        self.assertEqual(self.file_of(session).read_text(), lines)

    def test_nothing_that_is_there_is_overwritten(self):
        lines = (PI / "simple_chat.jsonl").read_text()
        session = self.ok("import", "-", stdin=lines).out.split("\t")[0]
        run = self.run_cli("import", "-", stdin=lines.replace("and reversed?", "or not?"))
        self.assertEqual((run.code, run.out.split("\t")[1]), (4, "different"))
        self.assertEqual(self.file_of(session).read_text(), lines)

    def test_a_document_of_blades_becomes_a_session(self):
        source = self.new("--id", "talk")
        self.say(source, "user", "hello")
        self.say(source, "assistant", "hi")
        self.ok("convert", source, "--to", "blades", "-o", "doc.json")
        store = f"sqlite:{self.folder}/s.db"
        run = self.run_cli("import", "doc.json", "--store", store)
        self.assertIn(run.code, (0, 5))
        history = self.ok("history", run.out.split("\t")[0], "--store", store).json
        self.assertEqual(texts(history["messages"]), ["hello", "hi"])

    def test_a_document_gives_a_notice_of_each_item_without_a_known_role_and_comes_back(self):
        said = {"role": "user", "text": "hello", "timestamp": "2026-01-01T00:00:00Z"}
        strange = {"role": "martian", "text": "zork", "timestamp": "2026-01-01T00:00:01Z"}
        history = [said, strange, dict(said, text="again"), dict(strange, role=7), {"text": "zork"}, "zork"]
        document = {"id": "talk", "state": {}, "history": history, "created_at": "2026-01-01T00:00:00Z",
                    "updated_at": "2026-01-01T00:00:01Z", "version": 1}
        (self.folder / "doc.json").write_text(json.dumps(document))
        run = self.fails(5, "import", "doc.json")  # blades could load no document with a text among its messages
        self.assertIn("1 damaged place(s)", run.err)
        warnings = [line for line in run.err.splitlines() if "not sent" in line]
        self.assertEqual([line.split("doc.json: ")[1].split(";")[0] for line in warnings],
                         ['message 2 has the unknown role "martian"', "message 4 has the unknown role 7", "message 5 has no role"])
        lines = {entry["id"]: line for line in self.file_of("talk").read_text().splitlines() for entry in [json.loads(line)]}
        for number in (2, 4, 5):
            self.assertIn("zork", lines[f"message-{number}"])
        self.assertEqual(texts(self.ok("history", "talk").json["messages"]), ["helloagain"])
        back = self.ok("convert", "talk", "--to", "blades", "-o", "-")
        self.assertEqual(json.loads(back.out)["history"], history[:-1])
        run = self.fails(5, "convert", "doc.json", "--to", "native", "-o", "l.jsonl")
        self.assertIn('unknown role "martian"', run.err)
        finding, = self.run_cli("verify", "doc.json", "--json").json["findings"]
        self.assertEqual((finding["kind"], json.dumps(document)[finding["offset"]:][:finding["length"]]), ("not_an_object", '"zork"'))

    def test_one_bad_file_keeps_no_other_out(self):
        self.fixture("simple_chat.jsonl")
        (self.folder / "bad.jsonl").write_text("no session\n")
        (self.folder / "folder.jsonl").mkdir()
        run = self.run_cli("import", "bad.jsonl", "folder.jsonl", "simple_chat.jsonl")
        self.assertEqual(run.code, 5, run)
        self.assertIn("copied", run.out)
        self.assertIn("bad.jsonl", run.err)
        rows = self.run_cli("import", "bad.jsonl", "simple_chat.jsonl", "--json").json["sessions"]
        self.assertEqual([row["result"] for row in rows], ["failed", "same"])


class EveryStore(ProgramTest):
    def test_all_verbs_work_over_a_database(self):
        store = ["--store", f"sqlite:{self.folder}/s.db"]
        self.ok("new", "--id", "talk", *store)
        first = self.ok("append", "talk", "--role", "user", "--text", "needle", *store).out.strip()
        self.ok("append", "talk", "--role", "assistant", "--text", "found", *store)
        for args in (["log", "talk"], ["last"], ["search", "needle"], ["info", "talk"], ["info"], ["path"], ["tree", "talk"],
                     ["set", "talk", "state.a=1"], ["rename", "talk", "T"], ["label", "talk", first, "L"], ["export", "talk"],
                     ["fork", "talk", "--id", "copy"], ["archive", "copy"], ["restore", "copy"], ["rewind", "talk", first],
                     ["show", "talk"], ["stats"], ["rm", "copy", "--yes"]):
            self.ok(*args, *store)
        self.assertEqual(texts(self.ok("history", "talk", *store).json["messages"]), ["needle"])
        self.fails(3, "log", "talk", "--store", "memory:")


class ExportToPrograms(ProgramTest):
    PLACES = {"claude-code": ".claude/projects/-home-ada-project/{id}.jsonl", "codex": ".codex/sessions/2*/*/*/rollout-*-{id}.jsonl",
              "opencode": "{id}.json", "pi": ".pi/agent/sessions/--home-ada-project--/*_{id}.jsonl"}

    def session(self):
        session = self.new("--title", "A talk", "--cwd", "/home/ada/project")
        self.say(session, "user", "Hello.")
        self.say(session, "assistant", "Hello, Ada.")
        return session

    def test_the_files_are_where_the_program_looks_for_them(self):
        session = self.session()
        for program, place in self.PLACES.items():
            with self.subTest(program):
                run = self.run_cli("export", session, "--to", program, "--json")
                self.assertIn(run.code, (0, 5), run)
                said = run.json
                found = list(self.folder.glob(place.format(id=said["id"])))
                self.assertEqual(len(found), 1, said)
                self.assertIn("Hello, Ada.", found[0].read_text())
                self.assertEqual(found[0].stat().st_mode & 0o777, 0o600)
                self.assertEqual(said["cwd"], "/home/ada/project")
                self.assertTrue(all(line.startswith("cd /home/ada/project && ") for line in said["resume"]), said)
                losses = [line for line in run.err.splitlines() if "losses" in line]
                self.assertEqual(len(json.loads(losses[0])["losses"]) if losses else 0, said["losses"])
                self.assertEqual(run.code, 5 if said["losses"] else 0)

    def test_an_existing_file_stays(self):
        session = self.session()
        for program in self.PLACES:
            with self.subTest(program):
                first = self.run_cli("export", session, "--to", program)
                path = self.folder / first.out.splitlines()[0]
                before = path.read_bytes()
                again = self.fails(4, "export", session, "--to", program)
                self.assertIn("--id", again.err)
                self.assertEqual(path.read_bytes(), before)
                other = {"opencode": "ses_other"}.get(program, "01234567-89ab-4def-8123-456789abcdef")
                copy = self.run_cli("export", session, "--to", program, "--id", other)
                self.assertIn(copy.code, (0, 5))
                self.assertIn(other, copy.out)

    def test_losses_are_listed_and_end_with_5(self):
        session = self.session()
        run = self.run_cli("export", session, "--to", "codex")
        self.assertEqual(run.code, 5)
        self.assertIn("the title 'A talk': not written", run.err)

    def test_another_folder_is_in_the_command(self):
        session = self.session()
        run = self.run_cli("export", session, "--to", "claude-code", "-o", self.folder / "a folder")
        path, command = run.out.splitlines()
        self.assertTrue(path.startswith(str(self.folder / "a folder" / "projects")), run)
        self.assertIn(f"CLAUDE_CONFIG_DIR='{self.folder}/a folder' claude --resume", command)

    def test_what_a_program_does_not_take_is_refused(self):
        session = self.session()
        for program in self.PLACES:
            with self.subTest(program):
                self.assertIn("give", self.fails(2, "export", session, "--to", program, "--id", "../x").err)
                self.fails(2, "export", session, "--to", program, "-o", "-")
        self.assertEqual([path for path in self.folder.rglob("*") if "x" == path.name], [])


if __name__ == "__main__":
    unittest.main()
