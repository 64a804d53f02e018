# SPDX-License-Identifier: MIT
"""Clients of the chat server receive nothing that the provider wrote about itself: no key, and no server's name."""
import unittest

from host import FakeProvider, HostTest, needs_curl

KEY = "sk-CANARYKEY123456"
SERVER = "llm-7.internal.example"
MESSAGE = f"Incorrect API key provided: Bearer {KEY}, says {SERVER}\n\x1b[2Jchat_host: forged"
KINDS = {"refused": "refused the request", "unauthorized": "did not accept this server's key",
         "rate_limited": "receives too many requests", "unavailable": "cannot answer"}
PNG = "data:image/png;base64,iVBORw0KGgo="


@needs_curl
class Secrets(HostTest):
    def asked(self, provider, *steps, arguments=(), **more):
        """The events of a turn as text, and the server's stderr."""
        fake = FakeProvider(self, steps)
        host = self.host_with(fake, *arguments, provider=provider, env={"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY})
        answer = host.begin("fail", **more)
        said = answer.text()
        said += str(host.get(f"sessions/{answer.headers['X-Session-ID']}")) + str(host.get("sessions"))
        host.kill()
        for secret in (KEY, SERVER, "CANARY", fake.url.rsplit(":", 1)[1], "forged", "\x1b"):
            self.assertNotIn(secret, said)
        for secret in (KEY, "\x1b", "\nchat_host: forged"):
            self.assertNotIn(secret, host.complaints)
        return said, host.complaints

    def test_no_failure_of_a_provider_names_its_key_or_its_server(self):
        for provider in ("openai", "anthropic"):
            for kind, words in KINDS.items():
                with self.subTest(provider=provider, kind=kind):
                    # More often than the server asks again, which a short pause makes quick.
                    steps = [{"when": "fail", "error": {"kind": kind, "message": MESSAGE}, "headers": {"retry-after-ms": "1"}}] * 9
                    said, complaints = self.asked(provider, *steps)
                    self.assertIn(words, said)
                    self.assertIn(f"Bearer [key], says {SERVER}", complaints)  # the operator can read the rest

    def test_no_retry_names_them(self):
        steps = [{"when": "fail", "error": {"kind": "overloaded", "message": MESSAGE}}]
        said, _ = self.asked("anthropic", *steps)
        self.assertIn('"why":"the model\'s provider is too busy"', said)

    def test_no_refused_picture_names_them(self):
        steps = [{"when": "fail", "error": {"kind": "refused", "message": MESSAGE}}]
        said, _ = self.asked("openai", *steps, images=[PNG])
        self.assertIn("trying without the pictures", said)

    def test_no_refused_title_names_them(self):
        steps = [{"summary": True, "when": "Name this conversation", "error": {"kind": "unauthorized", "message": MESSAGE}}]
        said, complaints = self.asked("openai", *steps, arguments=["--make-titles"])
        self.assertIn('"error":"no title could be made"', said)
        self.assertIn(SERVER, complaints)

    def test_an_address_where_nobody_answers_is_not_named(self):
        host = self.host("--provider", "openai", "--base-url", "http://127.0.0.1:1/v1", env={"OPENAI_API_KEY": KEY})
        events = host.begin("hello").events()
        retry = next(event for event in events if event["type"] == "retry")
        self.assertEqual(retry["why"], "the model's provider cannot answer")


if __name__ == "__main__":
    unittest.main()
