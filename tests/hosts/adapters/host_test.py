#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""examples/adapters with the libraries' own headers, not with the mirrors, for each library of which $SESSIONKIT_HOSTS has a
checkout: ai-sdk-cpp, llama.cpp, openai-cpp, and QuantClaw for its MCP client.
"""
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent.parent / "oracle"))
import check_anthropic  # noqa: E402
from host_case import CXX, FLAGS, LIBRARY, LINK, NOT_RUN, ROOT, FakeProvider, commit_of  # noqa: E402

ADAPTERS = ROOT / "examples/adapters"
SOURCES = sorted(ADAPTERS.glob("*.cpp"))


class Adapters(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sessionkit-adapters-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def checkout(self, name):
        folder = pathlib.Path(os.environ.get("SESSIONKIT_HOSTS") or "/nowhere") / name
        if not LIBRARY or not folder.is_dir():
            self.skipTest(f"not run: $SESSIONKIT_HOSTS has no {name}")
        print(f"{name} at {commit_of(folder)}", flush=True)
        return folder

    def compile(self, standard, include, sources, *more):
        options = [*FLAGS, f"-std={standard}", "-O0", f"-I{ROOT / 'include'}", f"-I{ROOT / 'examples'}", f"-I{ADAPTERS}",
                   *(part for folder in include for part in ("-isystem", str(folder)))]
        program = self.folder / "program"
        done = subprocess.run([CXX, *options, *map(str, sources), "-o", program, LIBRARY,
                               f"-Wl,-rpath,{pathlib.Path(LIBRARY).parent}", *filter(None, LINK), *more, "-pthread"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[:4000])
        return program

    def headers_of(self, standard, include, source):
        command = [CXX, f"-std={standard}", "-M", f"-I{ROOT / 'include'}", f"-I{ADAPTERS}",
                   *(part for folder in include for part in ("-isystem", str(folder))), str(source)]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout

    def run_adapters(self, standard, own, source, header, *more):
        """All adapters, of which one has the library's own header."""
        include = [*own, ADAPTERS / "mirrors"]
        found = self.headers_of(standard, include, source)
        self.assertIn(str(header), found)
        self.assertNotIn(str(ADAPTERS / "mirrors"), found)
        subprocess.run([self.compile(standard, include, SOURCES, *more)], check=True)

    def test_ai_sdk_cpp(self):
        sdk = self.checkout("ai-sdk-cpp")
        self.run_adapters("c++20", [sdk / "include", sdk / "third_party/nlohmann_json_patched/include"],
                          ADAPTERS / "ai_sdk_messages.cpp", sdk / "include/ai/types/message.h")

    def test_llama_cpp(self):
        llama = self.checkout("llama.cpp")
        own = [llama / folder for folder in ("common", "include", "ggml/include", "vendor")]
        # The library itself is not linked: what its headers define and nobody calls must go.
        self.run_adapters("c++17", own, ADAPTERS / "llama_messages.cpp", llama / "common/chat.h",
                          "-O1", "-ffunction-sections", "-Wl,--gc-sections")

    def test_openai_cpp(self):
        program = self.compile("c++17", [self.checkout("openai-cpp") / "include/openai"], [HERE / "openai_cpp.cpp"], "-lcurl")
        fake = FakeProvider(self)

        def say(words):
            return subprocess.run([program], input=words, text=True, stdout=subprocess.PIPE, check=True, cwd=self.folder,
                                  env={**os.environ, "TEST_URL": fake.url}).stdout
        self.assertEqual(say("Hello\n"), 'answer You said "Hello". I remember 1 of your messages.\n')
        self.assertEqual(say("What was first?\n"), 'answer First you said: "Hello"\n')
        self.assertEqual((fake.state["accepted"], fake.state["refused"]), (2, []))

    def test_an_mcp_client(self):
        host = self.checkout("QuantClaw")
        program = self.compile("c++17", [host / "include"],
                               [HERE / "mcp.cpp", ADAPTERS / "mcp_results.cpp", host / "src/mcp/mcp_client.cpp"],
                               "-DSPDLOG_FMT_EXTERNAL", "-lfmt", "-lcurl")
        with McpServer() as server:
            out = subprocess.run([program], stdout=subprocess.PIPE, check=True, env={**os.environ, "TEST_URL": server.url}).stdout
        messages = json.loads(out)
        self.assertEqual(check_anthropic.check(messages, mode="strict"), [])
        results = [part for message in messages for part in message["content"] if part["type"] == "tool_result"]
        self.assertEqual([result.get("is_error", False) for result in results], [False, True, True])
        self.assertEqual([piece["type"] for piece in results[0]["content"]], ["text", "image"])
        self.assertEqual(results[0]["content"][0]["text"], "Four degrees in Oslo.")
        self.assertEqual(results[2]["content"][0]["text"], "Unknown tool: unknown")


class McpServer(http.server.ThreadingHTTPServer):
    """Answers `tools/call` as the specification 2025-06-18 shows it."""

    PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            data = json.dumps({"jsonrpc": "2.0", "id": asked["id"], **self.server.answer(**asked["params"])}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def answer(self, name, arguments):
        if name == "weather":
            return {"result": {"content": [{"type": "text", "text": f"Four degrees in {arguments['city']}."},
                                           {"type": "image", "data": self.PIXEL, "mimeType": "image/png"}], "isError": False}}
        if name == "broken":
            return {"result": {"content": [{"type": "text", "text": "The sensor is broken."}], "isError": True}}
        return {"error": {"code": -32602, "message": f"Unknown tool: {name}"}}


if __name__ == "__main__":
    run = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(unittest.defaultTestLoader.loadTestsFromTestCase(Adapters))
    if run.wasSuccessful() and len(run.skipped) == run.testsRun:
        print("not run")
        sys.exit(NOT_RUN)
    sys.exit(not run.wasSuccessful())
