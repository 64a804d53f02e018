# SPDX-License-Identifier: MIT
"""Every kind of block, in every profile, from every provider, streamed and not, through both programs: no turn is lost
because a line cannot represent a part of it. Prints the matrix."""
import base64
import json
import signal
import struct
import unittest
import zlib

from host import FakeProvider, HostTest, needs_curl
from support import CHAT, Run

PROVIDERS = ("anthropic", "openai", "openai-responses", "gemini")
PROFILES = ("native", "ai_panel", "zyhive", "claw0", "zeroclaw", "blades", "openclaw", "ephemeral")
DOCUMENTS = "blades:"  # the profile in documents of blades' program, which have no pictures
BY_THE_PERSON = "a picture by the person"


def make_png():
    """A picture of one point."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b""))


PNG = make_png()
PICTURE = base64.b64encode(PNG).decode()

# What an answer has beside its text and its calls, as members of a step of the fake provider's script, and the providers
# whose API has it. The last is what the person sends.
BLOCKS = {
    "nothing": ({}, PROVIDERS),
    "signed reasoning": ({"thinking": "Let me see."}, ("anthropic", "openai-responses", "gemini")),
    "reasoning": ({"thinking": "Let me see.", "unsigned": True}, PROVIDERS),
    "redacted reasoning": ({"redacted": "ZGF0YQ=="}, ("anthropic", "openai-responses")),
    "an unknown block": ({"block": {"type": "citation_list", "urls": []}}, PROVIDERS),
    "a refusal": ({"refusal": "I rather would not."}, ("openai", "openai-responses")),
    "a picture by the model": ({"picture": PICTURE}, ("gemini",)),
    BY_THE_PERSON: ({}, PROVIDERS),
}


def blocks_of(provider, profile):
    return {words: block for words, (block, providers) in BLOCKS.items()
            if provider in providers and (profile != DOCUMENTS or words != BY_THE_PERSON)}


def steps_of(words, block):
    """A turn: a call of a tool, then the answer, both with the block."""
    call = {"name": "list_dir", "input": {"path": "."}}
    return [{"text": "I look.", "tools": [call], **block}, {"text": f"Done: {words}.", **block}]


class Matrix:
    """How many profiles kept the turn, for each block, provider and way of asking."""

    def __init__(self, program):
        self.program, self.kept, self.lost = program, {}, []

    def note(self, blocks, provider, streamed, profile, request):
        """`request`: one that another process made after the turns, if the profile stores anything."""
        sent = json.dumps(request)
        for words in blocks:
            kept = f"Done: {words}." in sent and f'"{words}"' in sent
            if words == BY_THE_PERSON:
                kept = kept and PICTURE in sent
            cell = self.kept.setdefault((words, provider, streamed), [0, 0])
            cell[0] += kept
            cell[1] += 1
            if not kept:
                self.lost.append((words, provider, streamed, profile))

    def show(self):
        turns = sum(all_of for _, all_of in self.kept.values())
        print(f"\n{self.program}: {turns} turns, {len(self.lost)} lost. Profiles that kept the turn, streamed / not streamed:")
        print(f"{'':24}" + "".join(f"{name:>20}" for name in PROVIDERS))
        for words in BLOCKS:
            cells = [[self.kept.get((words, name, streamed)) for streamed in (True, False)] for name in PROVIDERS]
            print(f"{words:24}" + "".join(
                f"{'/'.join('%d of %d' % tuple(cell) for cell in both) if all(both) else '-':>20}" for both in cells))
        for each in self.lost:
            print("lost:", *each)


class LeftOut(HostTest):
    def each_cell(self):
        for profile in (*PROFILES, DOCUMENTS):
            for name in PROVIDERS:
                for streamed in (True, False):
                    with self.subTest(profile=profile, provider=name, streamed=streamed):
                        folder = self.folder / f"{profile.strip(':')}-{len(profile)}-{name}-{streamed}"
                        self.store = f"{profile}{folder}" if profile == DOCUMENTS else folder
                        blocks = blocks_of(name, profile)
                        steps = [step for words, block in blocks.items() for step in steps_of(words, block)]
                        fake = FakeProvider(self, steps)
                        arguments = ["--profile", profile.strip(":"), "--provider", name, "--base-url", fake.base_url(name),
                                     *([] if streamed else ["--no-stream"])]
                        yield profile, name, streamed, blocks, arguments, fake
                        self.assertEqual(fake.state["refused"], [])
                        self.assertEqual(fake.state["streamed"] > 0, streamed)
                        fake.stop()

    @needs_curl
    def test_every_block_in_every_profile_through_the_chat_host(self):
        matrix = Matrix("chat_host")
        (self.folder / "files").mkdir()
        for profile, name, streamed, blocks, arguments, fake in self.each_cell():
            host = self.host(*arguments, "--folder", self.folder / "files")
            session = None
            for words in blocks:
                images = {"images": ["data:image/png;base64," + PICTURE]} if words == BY_THE_PERSON else {}
                said, done = host.chat(words, session, **images)
                self.assertIn(f"Done: {words}.", said)
                session = done["sessionId"]
            if profile != "ephemeral":
                host.kill(signal.SIGTERM)
                host = self.host(*arguments, "--folder", self.folder / "files")
            said, _ = host.chat("What did I say first?", session)
            host.kill(signal.SIGTERM)
            self.assertEqual(said, 'First you said: "nothing"')
            matrix.note(blocks, name, streamed, profile, fake.requests[-1])
        matrix.show()
        self.assertEqual(matrix.lost, [])

    @needs_curl
    def test_every_block_in_every_profile_through_the_terminal_program(self):
        matrix = Matrix("chat")
        (self.folder / "point.png").write_bytes(PNG)
        for profile, name, streamed, blocks, arguments, fake in self.each_cell():
            lines = [f"/image point.png {words}" if words == BY_THE_PERSON else words for words in blocks]
            out = self.chat(*lines, "What did I say first?", arguments=arguments)
            if profile != "ephemeral":
                out = self.chat("What did I say first?", arguments=arguments)
                self.assertIn(f"Restored: {len(blocks) + 1} previous turns", out)
            self.assertIn('First you said: "nothing"', out)
            matrix.note(blocks, name, streamed, profile, fake.requests[-1])
        matrix.show()
        self.assertEqual(matrix.lost, [])

    @needs_curl
    def test_a_picture_that_blades_documents_cannot_have_is_refused_before_the_model_is_asked(self):
        (self.folder / "point.png").write_bytes(PNG)
        self.store = f"{DOCUMENTS}{self.folder / 'documents'}"
        fake = FakeProvider(self)
        arguments = ["--profile", "blades", "--provider", "anthropic", "--base-url", fake.base_url("anthropic")]
        run = Run(self.run_program("--store", self.store, *arguments, program=CHAT,
                                   stdin="Hello\n/image point.png What is this?\nStill there?\n/quit\n"))
        self.assertEqual(run.code, 1, run)
        self.assertIn("messages of blades have text and calls only", run.err)
        said = [json.dumps(request) for request in fake.requests]
        self.assertEqual([("Hello" in each, "What is this?" in each) for each in said], [(True, False)] * 2)
        fake = FakeProvider(self)
        host = self.host("--profile", "blades", "--provider", "anthropic", "--base-url", fake.base_url("anthropic"))
        session = host.chat("Hello")[1]["sessionId"]
        events = list(host.begin("What is this?", session, images=["data:image/png;base64," + PICTURE]).events())
        self.assertIn("error", [event["type"] for event in events])
        self.assertEqual(host.chat("Still there?", session)[1]["end"], "finished")
        self.assertEqual(len(fake.requests), 2)

    def chat(self, *lines, arguments):
        run = Run(self.run_program("--store", self.store, *arguments, program=CHAT, stdin="\n".join([*lines, "/quit", ""])))
        self.assertEqual((run.code, run.err), (0, ""), run)
        return run.out


if __name__ == "__main__":
    unittest.main()
