# SPDX-License-Identifier: MIT
"""The REPL as it looks: typed into, on the screens of pyte, a terminal in Python."""
import ctypes
import ctypes.util
import json
import re
import shutil
import time
import unittest

from live import HERE
import keyboard
from keyboard import DOWN, ENTER, ESCAPE, UP
from support import CHAT, PI, ProgramTest

COLOURS = {"NO_COLOR": ""}
CTRL_D, CTRL_U, TAB, ALT_ENTER = "\x04", "\x15", "\t", "\x1b\r"
PASTE, PASTE_END = "\x1b[200~", "\x1b[201~"
ANSWER = """# Sizes of files

Use `ls -lS`, which sorts by **size, *largest first***, or [the manual](https://example.org/ls). A paragraph that is long \
enough is broken between words; 日本語の文章には空白がありません。だから文字の間で改行します。

1. first, with enough words that this item must take two rows of a narrow terminal, as this one does
   - nested
2. second

> A quote, and 2 * 3 * 4 in it, and snake_case_names.

```sh
ls -lS **/*.c
```

| option | meaning | count |
|:-------|:-------:|------:|
| `-l` | long | 1 |
| `-S` | sorted by size, which is a long description of a short option of a program | 1000 |

---
Done."""


class Screens(ProgramTest):
    def script(self, *steps):
        file = self.folder / f"script-{time.monotonic_ns()}.jsonl"
        file.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
        return "--script-file", file

    def chat(self, *arguments, **options):
        return keyboard.Screen(self, CHAT, "--store", self.store, "--folder", self.folder, *arguments, **options)

    def golden(self, name, lines):
        keyboard.golden(self, HERE / "golden" / name, lines)

    def stored(self):
        self.store.mkdir(mode=0o700)
        for name in ("simple_chat", "branches_labels", "tool_calls", "unicode_images"):
            shutil.copyfile(PI / f"{name}.jsonl", self.store / f"{name}.jsonl")

    def test_golden_screens_at_two_sizes(self):
        (self.folder / "config.json").write_text('{"retries": 3}')
        for number, (columns, rows) in enumerate(((80, 24), (200, 60))):
            for look, env in (("colours", COLOURS), ("no_color", {"NO_COLOR": "1"}), ("dumb", {"TERM": "dumb", **COLOURS})):
                script = self.script({"text": "Let me look.", "tools": [{"name": "read_file", "input": {"path": "config.json"}}]},
                                     {"text": ANSWER, "chunk": 3})
                screen = self.chat("--key", f"{look}-{number}", "--prices", "3/15", *script, size=(columns, rows), env=env)
                shots = [*screen.wait_for("you>"), "-- the question"]
                shots += screen.press("How do I list files by size?\r", "$0.")
                self.golden(f"chat_{look}_{columns}x{rows}.txt", shots)
                for line in screen.lines:
                    self.assertLessEqual(len(line), columns)
                if look == "dumb":
                    self.assertNotIn(b"\x1b", screen.written)
                if look == "no_color":
                    self.assertNotRegex(screen.written, rb"\x1b\[[0-9;]*m")

    def cells(self, screen, text):
        """The cells that show a text."""
        row, line = next((i, line) for i, line in enumerate(screen.screen.display) if text in line)
        return [screen.screen.buffer[row][column] for column in range(line.index(text), line.index(text) + len(text))]

    def test_marks_become_styles(self):
        answer = "# Top\n**bold *both*** and *slanted*, `code`, ~~gone~~, [label](http://x.org)\n```\n*raw*\n```"
        screen = self.chat(*self.script({"text": answer}), env=COLOURS)
        screen.wait_for("you>")
        screen.press("go\r", "in context")
        for text, styles in (("Top", {"bold", "underscore"}), ("bold", {"bold"}), ("both", {"bold", "italics"}), (" and ", set()),
                             ("slanted", {"italics"}), ("gone", {"strikethrough"}), ("label", {"underscore"})):
            for cell in self.cells(screen, text):
                worn = {name for name in ("bold", "italics", "underscore", "strikethrough") if getattr(cell, name)}
                self.assertEqual(worn, styles, text)
        for text in ("code", "*raw*"):
            self.assertEqual({cell.fg for cell in self.cells(screen, text)}, {"cyan"}, text)

    def styled(self, text, chunk, columns=80, drawn=False):
        """The bytes of an answer on a terminal with colours."""
        self.count = getattr(self, "count", 0) + 1
        screen = self.chat("--key", f"k{self.count}", *self.script({"text": text, "chunk": chunk}), size=(columns, 200), env=COLOURS, drawn=drawn)
        screen.wait_for("you>")
        screen.press("go\r", "of 200.0k")
        shown = screen.written.split(b"assistant> ", 1)[1]
        return shown.rpartition(b"\x1b[0;2m[")[0].decode(), screen

    def test_the_screen_does_not_depend_on_the_pieces_of_the_stream(self):
        for text in (ANSWER, "**open and `open\n* * *\n- - -\n**kwargs and * and _ and [x] and [y](", "|a|b|\n|-|-|\n|1|2|\n\ntext",
                     "| no table\nx", "a\\*b* ***c*** __d__e " + "long " * 200 + "*far" + " away" * 200 + "*"):
            whole, _ = self.styled(text, 10_000)
            for chunk in (1, 2, 5):
                self.assertEqual(self.styled(text, chunk)[0], whole, text)

    def test_what_the_model_sends_does_nothing_to_the_terminal(self):
        evil = "a\x1b]52;c;ZXZpbA==\x07b\x1b[2Jc\u009b31me\u202ef"
        text = f"{evil}\n# {evil}\n- `{evil}` [{evil}]({evil})\n```{evil}\n{evil}\n```\n|{evil}|\n|-|\n|{evil}|"
        shown, screen = self.styled(text, 1, columns=200, drawn=True)
        for sequence in re.findall("\x1b[^m]*.", shown):
            self.assertRegex(sequence, r"\A\x1b\[0(;\d+)*m\Z")
        for byte in ("\x07", "\u009b", "\u202e"):
            self.assertNotIn(byte, shown)
        self.assertEqual(screen.text.count("\\x1b[2J"), 8)
        screen.press("/history\r", "you> go")
        self.assertEqual(screen.text.count("\\x1b[2J"), 16)

    def test_the_words_are_those_that_md4c_reads(self):
        for page in ("docs/glossary.md", "docs/tool.md", "docs/durability.md", "docs/compaction.md", "docs/stores.md"):
            text = reflowed((HERE.parent.parent / page).read_text(encoding="utf-8"))
            words = md4c_words(self, text)
            shown, _ = self.styled(text, 4000, columns=2000)
            self.assertEqual(shown_words(shown), words, page)

    def test_no_row_is_wider_than_the_terminal(self):
        for columns in (20, 40, 80):
            text = ANSWER.replace("ls -lS **/*.c", "ls")  # code is not broken between words
            shown, _ = self.styled(text + "\n" + "x" * 300 + "\n- " + "y" * 300 + "\n> " + "\u65e5" * 90, 7, columns)
            rows = re.sub(r"\x1b\[[0-9;]*m|\r", "", shown).split("\n")
            for row in rows[1:]:  # the first one has the prompt
                self.assertLessEqual(keyboard.width(row), columns, row)
            for letter, count in (("x", 300), ("y", 300), ("\u65e5", 90)):
                self.assertGreaterEqual("".join(rows).count(letter), count)

    def test_the_picker_filters_moves_and_opens(self):
        for columns, rows in ((80, 24), (200, 60)):
            if not self.store.exists():
                self.stored()
            screen = self.chat("--resume", size=(columns, rows))
            shots = [*screen.wait_for("4 of 4"), "-- down"]
            shots += [*screen.press(DOWN, "> Plan the trip"), "-- list FILES"]
            shots += [*screen.press("list FILES", "1 of 4"), "-- x"]
            shots += screen.press("x", "No session has these words")
            self.golden(f"chat_picker_{columns}x{rows}.txt", shots)
            for line in shots:
                self.assertLessEqual(len(line), columns)
            screen.press("\x7f", "> How do I list files")
            screen.press(ENTER, "Restored: 2 previous turns")
            screen.press("/resume\r", "4 of 4")
            screen.press("trip" + CTRL_U + "zz" + "\x7f\x7f" + DOWN + DOWN + UP, "> Plan the trip")
            screen.press(ESCAPE, "you>")
            screen.press("/resume\r", "4 of 4")
            screen.press("trip", "1 of 4")
            screen.press(ENTER, "Restored: 1")
            screen.press("/history\r", "Plan the trip")
            self.assertEqual(screen.leaves(CTRL_D), 0)

    def test_a_restored_conversation_shows_its_end(self):
        (self.folder / "config.json").write_text('{"retries": 3}')
        paragraph = " ".join(f"word{n}" for n in range(400))
        for number, (columns, rows) in enumerate(((80, 24), (200, 60))):
            for look, env in (("colours", COLOURS), ("dumb", {"TERM": "dumb", **COLOURS})):
                key = ("--key", f"{look}-{number}")
                script = self.script({"text": "second " * 60}, {"text": paragraph}, {"text": "Let me look.", "tools": [
                    {"name": "read_file", "input": {"path": "config.json", "why": "because " * 30}}]}, {"text": "**Three** retries.\n\n- one\n- two"})
                self.run_program(*self.words(key, script), program=CHAT, stdin="zero\nfirst " + "and more " * 90 + "\nHow many retries?\n")
                screen = self.chat(*key, size=(columns, rows), env=env)
                shots = screen.wait_for("two\nyou>")
                self.golden(f"chat_restored_{look}_{columns}x{rows}.txt", shots)
                self.assertEqual([line for line in shots if line][-1], "you>")
                self.assertIn("A script answers here", screen.text)  # nothing was scrolled away
                for line in screen.lines:
                    self.assertLessEqual(len(line), columns)
                self.assertIn("Restored: 3 previous turns", screen.text)
                self.assertEqual(screen.leaves(CTRL_D), 0)

    def words(self, *groups):
        return ("--store", self.store, "--folder", self.folder, *(word for group in groups for word in group))

    def test_a_picker_that_is_left_opens_nothing(self):
        self.stored()
        for keys in (ESCAPE, "\x03", CTRL_D):
            screen = self.chat("-r")
            screen.wait_for("4 of 4")
            self.assertEqual(screen.leaves(keys), 1)
        dumb = self.chat("-r", env={"TERM": "dumb"})
        dumb.wait_for("which?")
        dumb.press("1\r", "Restored:")

    def test_several_lines_are_one_message_and_are_seen_as_lines(self):
        screen = self.chat()
        screen.wait_for("you>")
        lines = screen.press(f"one{ALT_ENTER}two{PASTE}\rthree{PASTE_END}", "three")
        place = lines.index("you> one")
        self.assertEqual(lines[place:place + 3], ["you> one", "two", "three"])
        screen.press("\r", "I remember 1 of your messages")

    def test_tab_ends_the_number_of_a_branch(self):
        screen = self.chat(*self.script({"text": "one"}, {"text": "two"}))
        screen.wait_for("you>")
        screen.press("question\r", "tokens in context")
        screen.press("/retry\r", "assistant> two")
        screen.press("/branch 2" + TAB + "x", "/branch 2 x")

    def test_tab_completes_titles(self):
        self.stored()
        screen = self.chat()
        screen.wait_for("you>")
        screen.press("/switch Plan" + TAB, "/switch Plan the trip")
        screen.press("\r", "Restored: 1")
        screen.press("/mod" + TAB + "cl" + TAB, "/model claude-sonnet-4-5")


def reflowed(text):
    """Paragraphs and items as one line each, as models write them."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    lines, fenced = [], False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        follows = lines and lines[-1].strip() and not re.match(r"#|\||```|    ", lines[-1])
        if follows and not fenced and not re.match(r"\s*([-*>] |[|#]|\d+\. |```)|    |$", line):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return "\n".join(lines)


def shown_words(shown):
    """Without our sequences, frames, marks of lists and fences."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown).replace("\r", "")
    text = re.sub(r"^(.*?)```.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\s*(\u2022|\d+\.) ", "", text, flags=re.MULTILINE)
    return re.sub("[\u2502\u2500\u253c]", " ", text).split()


def md4c_words(test, text):
    """The words of a document as the Markdown library of the store tool reads them."""
    name = ctypes.util.find_library("md4c")
    if name is None:
        test.skipTest("there is no md4c")

    class Attribute(ctypes.Structure):
        _fields_ = [("text", ctypes.c_void_p), ("size", ctypes.c_uint), ("types", ctypes.c_void_p), ("offsets", ctypes.c_void_p)]

    text_call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p)
    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

    class Parser(ctypes.Structure):
        _fields_ = [("abi", ctypes.c_uint), ("flags", ctypes.c_uint), ("enter_block", call), ("leave_block", call),
                    ("enter_span", call), ("leave_span", call), ("text", text_call), ("log", ctypes.c_void_p),
                    ("syntax", ctypes.c_void_p)]

    words, labels = [], []
    link, image, tables_strikes = 2, 3, 0x0100 | 0x0200

    def enter(kind, _, __):
        if kind == image:
            words.append("image: ")
        if kind in (link, image):
            labels.append(len(words))
        return 0

    def leave(kind, detail, _):
        if kind in (link, image):
            target = ctypes.cast(detail, ctypes.POINTER(Attribute)).contents
            target = ctypes.string_at(target.text, target.size).decode()
            if "".join(words[labels.pop():]) != target:
                words.append(f" ({target})")
        return 0

    def block(*_):
        words.append(" ")
        return 0

    def said(kind, piece, size, _):
        words.append(" " if kind in (2, 3) else ctypes.string_at(piece, size).decode())
        return 0

    parser = Parser(0, tables_strikes, call(block), call(block), call(enter), call(leave), text_call(said), None, None)
    data = text.encode()
    test.assertEqual(ctypes.CDLL(name).md_parse(data, len(data), ctypes.byref(parser), None), 0)
    return "".join(words).split()


if __name__ == "__main__":
    unittest.main()
