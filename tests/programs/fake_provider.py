#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model provider on loopback that speaks Anthropic's Messages API, OpenAI's Chat Completions and Responses, and Gemini's
generateContent, streamed or not, and refuses every history that the checkers of tests/oracle refuse.

usage: fake_provider.py [--port N] [--script FILE] [--requests FILE] [--window TOKENS] [--key KEY] [--dribble BYTES]
                        [--server NAME] [--no-images]

Prints "listening on http://127.0.0.1:PORT" and serves until it is killed. GET /state reports how many requests it accepted
and refused, and why. The script holds an answer on each line, as examples/llm/scripted_provider.hpp describes; each is
played once, the first whose "when" is in the last message of the user. More members are known here: "unsigned": true
leaves the reasoning without a signature, "redacted" is hidden reasoning, "block" a block of another type, "stall": true
sends nothing more after the text, "status": N answers with that status, "headers": {..} are added. After the script's
end it repeats what it received. With --server it is one of the servers of check_servers.py; with --no-images its model reads
none.
"""
import argparse
import http.server
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "oracle"))
sys.dont_write_bytecode = True
import check_openai  # noqa: E402
import check_servers  # noqa: E402
from fake_answers import Refused, Script  # noqa: E402
from fake_anthropic import Anthropic  # noqa: E402
from fake_gemini import Gemini  # noqa: E402
from fake_openai import OpenAi  # noqa: E402
from fake_responses import Responses  # noqa: E402

WIRES = (Anthropic, OpenAi, Responses, Gemini)


class Provider:
    def __init__(self, options):
        self.options = options
        self.script = Script(options.script)
        self.log = open(options.requests, "a", encoding="utf-8") if options.requests else None
        self.lock = threading.Lock()
        self.accepted, self.refused, self.calls, self.streamed = 0, [], 0, 0

    def note(self, path, raw):
        with self.lock:
            if self.log:
                self.log.write(json.dumps({"path": path, "body": json.loads(raw)}) + "\n")
                self.log.flush()

    def answer_to(self, wire, raw, body, headers):
        """The answer, and its usage; raises Refused."""
        if not isinstance(body.get("model"), str) or not body["model"]:
            raise Refused("refused", "model: Field required")
        findings = wire.check(body, headers, self.options.key)
        if self.options.server and wire is OpenAi:
            findings = check_servers.check(self.options.server, body["messages"], not self.options.no_images)
            names = [tool["function"]["name"] for tool in body.get("tools", [])]
            findings += [("NAME", -1, name) for name in names if not check_openai.NAME_RE.match(name)]
        if findings:
            raise Refused("refused", "; ".join(f"messages.{i}: {code} {text}" for code, i, text in findings))
        tokens = len(raw) // 4
        if self.options.window and tokens > self.options.window:
            raise Refused("context_exceeded", f"prompt is too long: {tokens} tokens > {self.options.window} maximum")
        step = self.script.next(*wire.conversation(body))
        error = step.get("error")
        if "status" in step or (error and not step.get("text")):
            error = error or {"kind": "unavailable"}
            more = dict(step.get("headers", {}))
            if "retry_after_ms" in error:
                more["retry-after-ms"] = str(error["retry_after_ms"])
            raise Refused(error["kind"], error.get("message", "as the script says"), step.get("status"), more)
        with self.lock:
            for call in step.get("tools", []):
                self.calls += 1
                call.setdefault("id", f"toolu_{self.calls}")
        return step, (tokens, 1 + len(step.get("text", "")) // 4)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    provider = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        provider = self.provider
        with provider.lock:
            self.send_json(200, {"accepted": provider.accepted, "refused": provider.refused, "streamed": provider.streamed})

    def do_POST(self):
        provider = self.provider
        raw = self.rfile.read(int(self.headers["content-length"])).decode()
        wire = next((wire for wire in WIRES if self.path.startswith(wire.path)), None)
        if wire is None:
            return self.send_json(404, {"error": {"type": "not_found_error", "message": self.path}})
        provider.note(self.path, raw)
        body = json.loads(raw)
        streams = bool(body.get("stream"))
        if wire is Gemini:  # they are in the path
            model, _, verb = self.path[len(wire.path):].partition(":")
            body["model"], streams = model, verb == "streamGenerateContent?alt=sse"
        with provider.lock:
            provider.streamed += streams
        try:
            step, usage = provider.answer_to(wire, raw, body, self.headers)
        except Refused as refused:
            with provider.lock:
                provider.refused.append({"kind": refused.kind, "message": str(refused)})
            return self.send_json(refused.status, wire.error(refused), refused.headers)
        with provider.lock:
            provider.accepted += 1
        if not streams:
            return self.send_json(200, wire.whole(step, body["model"], usage))
        try:
            self.stream(wire, step, body["model"], usage)
        except OSError:
            self.close_connection = True  # the client has left

    def send_json(self, status, value, headers=None):
        data = json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"content-type": "application/json", "content-length": str(len(data)),
                           "request-id": "req_1", **(headers or {})}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)

    def stream(self, wire, step, model, usage):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        delay = step.get("delay_ms", 0) / 1000
        for event in wire.events(step, model, usage):
            if event is not None:
                self.send_chunk(wire.frame(event))
                time.sleep(delay)
            elif step.get("stall"):
                while True:
                    time.sleep(0.1)
                    self.send_chunk(": nothing\n\n")
            elif step.get("cut"):
                self.close_connection = True
                return self.connection.shutdown(1)
            elif step.get("error"):
                error = wire.error(Refused(step["error"]["kind"], step["error"].get("message", "")))
                self.send_chunk(("event: error\n" if wire is Anthropic else "") + f"data: {json.dumps(error)}\n\n")
                break
        self.send_chunk(wire.end)
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def send_chunk(self, text):
        data = text.encode()
        size = self.provider.options.dribble or len(data)
        for i in range(0, len(data), size or 1):
            piece = data[i:i + size]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.flush()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, *whose):
        if not isinstance(sys.exc_info()[1], OSError):  # the client has left
            super().handle_error(*whose)


def main():
    arguments = argparse.ArgumentParser(description="a model provider for tests")
    arguments.add_argument("--port", type=int, default=0)
    arguments.add_argument("--script")
    arguments.add_argument("--requests")
    arguments.add_argument("--window", type=int, default=0)
    arguments.add_argument("--key", default="")
    arguments.add_argument("--dribble", type=int, default=0)
    arguments.add_argument("--server", choices=check_servers.SERVERS)
    arguments.add_argument("--no-images", action="store_true")
    options = arguments.parse_args()
    Handler.provider = Provider(options)
    server = Server(("127.0.0.1", options.port), Handler)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
