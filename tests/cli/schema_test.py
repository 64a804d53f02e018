# SPDX-License-Identifier: MIT
"""Each document of `--json` has the schema and the members that docs/tool.md lists, and each that is listed is printed."""
import json
import re
import shlex
import unittest

from golden_test import CHANGES, CHAT, SCREENS, TORN, StoreTest
from support import HERE

PAGE = HERE.parent.parent / "docs" / "tool.md"
# Commands that the first lines of the golden screens leave out.
MORE = {
    "history": [f"history {CHAT} --explain"],
    "context": [f"context {CHAT} --explain"],
    "compact": [f"compact {CHAT} --keep-turns 1 --summary S"],
    "rm": [f"rm {CHAT} --yes"],
    "prune": ["prune --most 1 --yes"],
    "info": ["info tool_calls"],
    "verify": ["verify"],
    "doctor": [f"doctor {TORN}.jsonl", f"doctor {TORN}"],
    "completion": ["completion bash"],
}


def parse_members(text):
    """`a, b?, c[], d[{e}], f{}` as {name: (optional, the members of its items, or None)}."""
    members = {}
    while text:
        name, text = re.match(r"(\w+)(.*)", text.strip(", ")).groups()
        inner = None
        if found := re.match(r"\[?\{", text):
            depth, end = 1, found.end()
            while depth:
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            inner = parse_members(text[found.end():end - 1]) or None
            text = text[end:]
        text = re.sub(r"^(\[?\]|\{\})", "", text)
        members[name] = (text.startswith("?"), inner)
        text = text.removeprefix("?")
    return members


def documented():
    """The members of each schema."""
    schemas = {}
    for names, cell in re.findall(r"^\| .* \| (`sessionkit/.*`) \| (.*) \|$", PAGE.read_text(), re.MULTILINE):
        for schema in re.findall(r"`(.*?)`", names):
            as_row = cell.startswith("as a row of `ls`")
            spans = [span for span in re.findall(r"`([^`]*)`", cell) if not re.fullmatch(r"ls|--[\w-]+", span)]
            text = ", ".join(spans) if schema in ("sessionkit/show@1", "sessionkit/info@1") else spans[0]
            schemas[schema] = parse_members(text)
            if as_row:
                schemas[schema].update(schemas["sessionkit/list@1"]["sessions"][1])
    return schemas


class Schemas(StoreTest):
    def check(self, members, value, place):
        for each in value if isinstance(value, list) else [value]:
            if not isinstance(each, dict):
                continue
            self.assertLessEqual(set(each), set(members), place)
            self.assertLessEqual({name for name, (optional, _) in members.items() if not optional}, set(each), place)
            for name, (_, inner) in members.items():
                if inner and name in each:
                    self.check(inner, each[name], f"{place} {name}")

    def test_each_document_is_as_the_page_says(self):
        schemas, seen = documented(), set()
        self.assertGreater(len(schemas), 30)
        for verb, lines in SCREENS.items():
            for line in [*lines, *MORE.get(verb, [])]:
                run = self.run_cli(*shlex.split(line), "--json")
                of_its_own = verb == "tail" or (verb == "history" and "--explain" not in line) or "--to jsonl" in line
                if run.out and not of_its_own:
                    with self.subTest(line):
                        document = json.loads(run.out)
                        schema = document.pop("schema", None)
                        self.assertIn(schema, list(schemas))
                        self.check(schemas[schema], document, line)
                        seen.add(schema)
                for message in run.err.splitlines():
                    self.assertIn(*json.loads(message), ("error", "notice", "repairs", "losses"))
            if verb in CHANGES | {"prune"}:
                self.fill()
        self.assertEqual(seen, set(schemas))


if __name__ == "__main__":
    unittest.main()
