# SPDX-License-Identifier: MIT
"""Transcripts in claw0's lines: regrouped as claw0 does, and valid for the providers whatever their content."""
import json
import unittest

from support import DATA, FormatTest  # first: it makes the oracles importable
import check_anthropic
import check_gemini
import check_openai
import check_responses
import check_valid_rebuild

CASES = sorted(p for p in (DATA / "flat").iterdir() if p.is_dir())
LATER = sorted((DATA / "flat-v2").glob("*.jsonl"))


class FlatFixtures(FormatTest):
    def for_each(self, check):
        for case in CASES:
            with self.subTest(case.name):
                check(case)

    def test_all_of_them_are_here(self):
        self.assertEqual(len(CASES), 12)

    def test_the_faithful_history_equals_that_of_the_published_program(self):
        def check(case):
            ours = self.history(case / "transcript.jsonl", "--mode", "faithful")["messages"]
            self.assertEqual(ours, json.loads((case / "messages.json").read_text()))
        self.for_each(check)

    def test_the_valid_history_keeps_every_word_and_call(self):
        def check(case):
            messages = self.history(case / "transcript.jsonl")["messages"]
            self.assertEqual(check_valid_rebuild.check(case / "transcript.jsonl", messages), [])
        self.for_each(check)

    def test_the_valid_history_is_one_the_providers_accept(self):
        def check(case):
            messages = self.history(case / "transcript.jsonl")["messages"]
            self.assertEqual(check_anthropic.check(messages, "strict", allow_prefill=True), [])
            chat = self.history(case / "transcript.jsonl", "--provider", "openai-chat")["messages"]
            self.assertEqual(check_openai.check(chat, strict=True), [])
            responses = self.history(case / "transcript.jsonl", "--provider", "openai-responses")["input"]
            self.assertEqual(check_responses.check(responses, strict=True), [])
            gemini = self.history(case / "transcript.jsonl", "--provider", "gemini")["contents"]
            self.assertEqual(check_gemini.check(gemini, allow_prefill=True), [])
        self.for_each(check)

    def test_it_can_be_sent_after_the_next_user_message(self):
        def check(case):
            path = self.copy(case / "transcript.jsonl")
            self.say(path, "user", "And now?")
            self.assertEqual(check_anthropic.check(self.history(path)["messages"], "strict"), [])
            gemini = self.history(path, "--provider", "gemini")["contents"]
            self.assertEqual(check_gemini.check(gemini, "strict"), [])
        self.for_each(check)

    def test_the_later_variant_is_grouped_as_its_own_program_does_it(self):
        self.assertEqual(len(LATER), 12)
        for path in LATER:
            with self.subTest(path.stem):
                ours = self.history(path, "--mode", "faithful")["messages"]
                self.assertEqual(ours, json.loads(path.with_suffix(".json").read_text()))

    def test_the_later_variant_is_valid_for_the_providers(self):
        for path in LATER:
            with self.subTest(path.stem):
                messages = self.history(path)["messages"]
                self.assertEqual(check_anthropic.check(messages, "strict", allow_prefill=True), [])
                chat = self.history(path, "--provider", "openai-chat")["messages"]
                self.assertEqual(check_openai.check(chat, strict=True), [])


if __name__ == "__main__":
    unittest.main()
