#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A chat on ClickHouse/ai-sdk-cpp whose history is a session.

The first embedding let the SDK run the tools and stored each step when it was over. This one runs the tools itself, so that
a call is stored before its tool runs. The adapter is examples/adapters/ai_sdk_messages.cpp, compiled with the SDK's headers.
"""
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True
from host_case import CXX, ROOT, FakeProvider, Host, main  # noqa: E402

ADAPTERS = ROOT / "examples/adapters"
CALLS = {"text": "Let me look.", "tools": [{"id": "call_a", "name": "read_file", "input": {"path": "a.txt"}},
                                           {"id": "call_b", "name": "read_file", "input": {"path": "b.txt"}}]}
# A stand-in for <format> where the compiler has none (g++ 12): the SDK's log uses it.
FORMAT = """#include <fmt/format.h>
namespace std {
using fmt::format;
using fmt::format_string;
}
"""


class AiSdk(Host):
    repository = "ClickHouse/ai-sdk-cpp"
    commit = "9d8cd18200a33b64460c9101ed0dd6d4988bea61"
    before = 48  # beside the adapter, which was copied then as now
    needs = {"openssl/ssl.h": "libssl-dev", "zlib.h": "zlib1g-dev"}
    sources = [HERE / "chat.cpp", ADAPTERS / "ai_sdk_messages.cpp",
               *(f"src/types/{name}.cpp" for name in ("generate_options", "message", "stream_options", "stream_result")),
               *(f"src/providers/{name}.cpp" for name in ("base_provider_client", "http_sse_stream")),
               *(f"src/providers/openai/openai_{name}.cpp"
                 for name in ("client", "request_builder", "response_parser", "stream", "factory")),
               "src/http/http_request_handler.cpp", "src/tools/tool_executor.cpp", "src/tools/multi_step_coordinator.cpp"]
    include = ["include", "src", "third_party/httplib-header-only", "third_party/nlohmann_json_patched/include",
               "third_party/concurrentqueue-header-only"]
    standard = "c++20"
    defines = ["-I", ADAPTERS, "-DAI_SDK_HAS_OPENAI=1", "-DCPPHTTPLIB_OPENSSL_SUPPORT=1", "-DCPPHTTPLIB_ZLIB_SUPPORT=1",
               "-DCPPHTTPLIB_THREAD_POOL_COUNT=8"]
    libraries = ["-lssl", "-lcrypto", "-lz", "-lfmt"]

    @classmethod
    def change_for_test(cls):
        has_format = subprocess.run([CXX, f"-std={cls.standard}", "-E", "-x", "c++", "-"], input="#include <format>\n", text=True,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if has_format.returncode != 0:
            (cls.copy / "include/format").write_text(FORMAT, encoding="utf-8")

    def environment(self, fake):
        return {"TEST_URL": fake.url}

    def test_lines(self):
        chat = (HERE / "chat.cpp").read_text(encoding="utf-8").splitlines()
        self.check_lines(sum(bool(re.search(r"\bsk::|sessionkit|ai_sdk_messages|\bsession\.", line)) for line in chat))

    def test_a_restart_continues_with_calls_and_results(self):
        fake = FakeProvider(self, [CALLS])
        self.assertIn('answer It says: {"celsius":4}', self.run_host(fake, 'Read both\nwords\n{"celsius":4}\n'))
        self.assertIn('answer First you said: "Read both"', self.run_host(fake, "What was first?\n"))
        self.check_accepted(fake, 3)
        before, after = (request["messages"] for request in fake.requests[-2:])
        self.assertEqual(after[:len(before)], before)
        self.assertEqual([message["role"] for message in after],
                         ["system", "user", "assistant", "tool", "tool", "assistant", "user"])
        # Encoded once, as the SDK itself encodes results.
        self.assertEqual([message["content"] for message in after[3:5]], ['"words"', '{"celsius":4}'])
        self.assertEqual(after[2]["content"], "Let me look.")
        answers = [line["message"] for line in self.stored() if line.get("message", {}).get("role") == "assistant"]
        self.assertTrue(all(answer["usage"]["input"] > 0 for answer in answers), answers)

    def test_killed_between_call_and_result(self):
        for results in (0, 1):  # before the first of two results, and before the second
            with self.subTest(results=results):
                self.setUp()
                fake = FakeProvider(self, [CALLS])
                host = self.start(fake)
                host.stdin.write("Read both\n" + "A\n" * results)
                host.stdin.flush()
                for _ in range(results + 1):
                    self.expect_line(host, "tool read_file")
                host.send_signal(signal.SIGKILL)
                host.wait()
                self.assertEqual(len(self.stored()), 3 + results)  # header, user, calls, and the first result

                self.assertIn('answer First you said: "Read both"', self.run_host(fake, "What was first?\n"))
                self.check_accepted(fake, 2)
                asked = fake.requests[-1]["messages"]
                self.assertEqual([message["role"] for message in asked], ["system", "user", "assistant", "tool", "tool", "user"])
                missing = 'Error: "[tool result missing: interrupted]"'
                self.assertEqual([message["content"] for message in asked[3:5]], ['"A"', missing] if results else [missing] * 2)


if __name__ == "__main__":
    main(AiSdk)
