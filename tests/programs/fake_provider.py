#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model provider on loopback that speaks Anthropic's Messages API, OpenAI's Chat Completions and Responses, and Gemini's
generateContent, streamed or not, and refuses every history that the checkers of tests/oracle refuse.

usage: fake_provider.py [--port N] [--script FILE] [--requests FILE] [--window TOKENS] [--key KEY] [--dribble BYTES]
                        [--server NAME] [--no-images]

Prints "listening on http://127.0.0.1:PORT" and serves until it is killed. GET /state reports how many requests it accepted
and refused, and why. The script holds an answer on each line, as examples/llm/scripted_provider.hpp describes; each is
played once, the first whose "when" is in the last message of the user. More members are known here: "unsigned": true
import check_responses  # noqa: E402
import check_servers  # noqa: E402
"""
import argparse
import http.server
import itertools
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "oracle"))
sys.dont_write_bytecode = True
import check_anthropic  # noqa: E402
import check_gemini  # noqa: E402
import check_openai  # noqa: E402
import check_responses  # noqa: E402
import check_servers  # noqa: E402

# kind: status, Anthropic's type, OpenAI's code
ERRORS = {
    "refused": (400, "invalid_request_error", "invalid_value"),
    "context_exceeded": (400, "invalid_request_error", "context_length_exceeded"),
    "unauthorized": (401, "authentication_error", "invalid_api_key"),
    "rate_limited": (429, "rate_limit_error", "rate_limit_exceeded"),
    "overloaded": (529, "overloaded_error", "server_error"),
    "unavailable": (500, "api_error", "server_error"),
}


class Refused(Exception):
    def __init__(self, kind, message, status=None, headers=None):
        super().__init__(message)
        self.kind, self.headers = kind, headers or {}
        self.status = status or ERRORS[kind][0]


def text_in(content):
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content or [] if part.get("type") == "text")


def texts_of(content):
    """The content of Responses as a string."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def words_of_user(messages):
    return [text for text in (text_in(m["content"]) for m in messages if m["role"] == "user") if text]


def improvise(messages):
    last = messages[-1]
    results = [last] if last["role"] == "tool" else [
        part for part in last["content"] if isinstance(part, dict) and part.get("type") == "tool_result"]
    if results and (last["role"] == "tool" or not text_in(last["content"])):
        return {"text": "It says: " + text_in(results[0].get("content", ""))}
    said = words_of_user(messages)
    if not said:
        return {"text": "I heard nothing."}
    if "first" in said[-1]:
        return {"text": f'First you said: "{said[0]}"'}
    return {"text": f'You said "{said[-1]}". I remember {len(said)} of your messages.'}


class Script:
    def __init__(self, file):
        lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines() if file else []
        self.steps = [json.loads(line) for line in lines if line.strip()]
        self.lock = threading.Lock()

    def next(self, messages, system):
        heard = (words_of_user(messages) or [""])[-1]
        asked = "".join([text_in(system), *(text_in(m["content"]) for m in messages)])
        summary = sum(m["role"] != "system" for m in messages) == 1 and any(
            words in asked for words in ("<conversation>", "请将以下对话历史压缩"))
        with self.lock:
            for step in self.steps:
                if bool(step.get("summary")) == summary and step.get("when", "") in heard:
                    self.steps.remove(step)
                    return step
        return {"text": "They spoke."} if summary else improvise(messages)


class Anthropic:
    path = "/v1/messages"

    @staticmethod
    def check(body, headers, key):
        if headers.get("anthropic-version") != "2023-06-01":
            raise Refused("refused", "anthropic-version: header is required")
        if key and headers.get("x-api-key") != key:
            raise Refused("unauthorized", "invalid x-api-key")
        if not isinstance(body.get("max_tokens"), int):
            raise Refused("refused", "max_tokens: Field required")
        if "system" in body and not isinstance(body["system"], (str, list)):
            raise Refused("refused", "system: Input should be a valid string")
        for tool in body.get("tools", []):
            if tool["input_schema"]["type"] != "object":
                raise Refused("refused", "tools: input_schema")
        return check_anthropic.check(body["messages"], mode="strict")

    @staticmethod
    def error(refused):
        return {"type": "error", "error": {"type": ERRORS[refused.kind][1], "message": str(refused)}}

    @staticmethod
    def conversation(body):
        return body["messages"], body.get("system", "")

    @staticmethod
    def content(step):
        if "redacted" in step:
            yield {"type": "redacted_thinking", "data": step["redacted"]}
        if step.get("thinking"):
            yield {"type": "thinking", "thinking": step["thinking"],
                   **({} if step.get("unsigned") else {"signature": "c2lnbmVk"})}
        if step.get("text"):
            yield {"type": "text", "text": step["text"]}
        if "block" in step:
            yield step["block"]
        for call in step.get("tools", []):
            yield {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["input"]}

    @classmethod
    def whole(cls, step, model, usage):
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": list(cls.content(step)),
                "stop_reason": "tool_use" if step.get("tools") else "end_turn", "stop_sequence": None,
                "usage": {"input_tokens": usage[0], "output_tokens": usage[1]}}

    @classmethod
    def events(cls, step, model, usage):
        """The stream up to the place where a script may break it off, and the rest."""
        message = dict(cls.whole(step, model, usage), content=[], stop_reason=None,
                       usage={"input_tokens": usage[0], "output_tokens": 1, "cache_read_input_tokens": 0})
        yield {"type": "message_start", "message": message}
        yield {"type": "ping"}
        for index, block in enumerate(cls.content(step)):
            begun, deltas = cls.in_pieces(block, step)
            yield {"type": "content_block_start", "index": index, "content_block": begun}
            for delta in deltas:
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        yield None
        yield {"type": "message_delta", "usage": {"output_tokens": usage[1]},
               "delta": {"stop_reason": "tool_use" if step.get("tools") else "end_turn", "stop_sequence": None}}
        yield {"type": "message_stop"}

    @staticmethod
    def in_pieces(block, step):
        """A block as it begins, and the deltas that complete it."""
        kind = block["type"]
        if kind in ("text", "thinking"):
            deltas = [{"type": kind + "_delta", kind: piece} for piece in pieces(block[kind], step)]
            if "signature" in block:
                deltas.append({"type": "signature_delta", "signature": block["signature"]})
            return {"type": kind, kind: ""}, deltas
        if kind == "tool_use":
            return dict(block, input={}), [{"type": "input_json_delta", "partial_json": piece}
                                           for piece in ["", *pieces(json.dumps(block["input"]), step)]]
        return block, []

    @staticmethod
    def frame(event):
        return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n"

    end = ""


class OpenAi:
    path = "/v1/chat/completions"

    @staticmethod
    def check(body, headers, key):
        if key and headers.get("authorization") != "Bearer " + key:
            raise Refused("unauthorized", "Incorrect API key provided")
        for tool in body.get("tools", []):
            if tool["type"] != "function" or tool["function"]["parameters"]["type"] != "object":
                raise Refused("refused", "Invalid 'tools'")
        return check_openai.check(body["messages"], strict=True)

    @staticmethod
    def error(refused):
        return {"error": {"message": str(refused), "type": ERRORS[refused.kind][1], "param": None,
                          "code": ERRORS[refused.kind][2]}}

    @staticmethod
    def conversation(body):
        return body["messages"], ""

    @staticmethod
    def content(step):
        """A string, or parts as Mistral gives them."""
        text = step.get("text")
        return [{"type": "text", "text": text}, step["block"]] if "block" in step else text

    @staticmethod
    def calls(step):
        return [{"index": i, "id": call["id"], "type": "function",
                 "function": {"name": call["name"], "arguments": json.dumps(call["input"])}}
                for i, call in enumerate(step.get("tools", []))]

    @classmethod
    def whole(cls, step, model, usage):
        message = {"role": "assistant", "content": cls.content(step)}
        if step.get("thinking"):
            message["reasoning_content"] = step["thinking"]
        if step.get("refusal"):
            message["refusal"] = step["refusal"]
        if step.get("tools"):
            message["tool_calls"] = cls.calls(step)
        return {"id": "chatcmpl-1", "object": "chat.completion", "model": model,
                "choices": [{"index": 0, "message": message,
                             "finish_reason": "tool_calls" if step.get("tools") else "stop"}],
                "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]}}

    @classmethod
    def events(cls, step, model, usage):
        def chunk(delta, reason=None):
            return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": model,
                    "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], "usage": None}
        yield chunk({"role": "assistant", "content": ""})
        for piece in pieces(step.get("thinking", ""), step):
            yield chunk({"reasoning_content": piece})
        for piece in pieces(step.get("text", ""), step):
            yield chunk({"content": piece})
        if "block" in step:
            yield chunk({"content": [step["block"]]})
        for piece in pieces(step.get("refusal", ""), step):
            yield chunk({"refusal": piece})
        for call in cls.calls(step):
            arguments = call["function"]["arguments"]
            yield chunk({"tool_calls": [dict(call, function=dict(call["function"], arguments=""))]})
            for piece in pieces(arguments, step):
                yield chunk({"tool_calls": [{"index": call["index"], "function": {"arguments": piece}}]})
        yield None
        yield chunk({}, "tool_calls" if step.get("tools") else "stop")
        yield {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": model, "choices": [],
               "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1],
                         "prompt_tokens_details": {"cached_tokens": usage[0] // 2}}}

    @staticmethod
    def frame(event):
        return f"data: {json.dumps(event, ensure_ascii=False)}\n\n"

    end = "data: [DONE]\n\n"


class Responses:
    path = "/v1/responses"

    @staticmethod
    def check(body, headers, key):
        if key and headers.get("authorization") != "Bearer " + key:
            raise Refused("unauthorized", "Incorrect API key provided")
        for tool in body.get("tools", []):
            if tool["type"] != "function" or not tool["name"] or tool["parameters"]["type"] != "object":
                raise Refused("refused", "Invalid 'tools'")
        # Reasoning without `encrypted_content` is on the server, which stores answers by default.
        return check_responses.check_system(body.get("instructions")) + [
            finding for finding in check_responses.check(body["input"], strict=True)
            if finding[2] != "encrypted_content None"]

    error = OpenAi.error

    @staticmethod
    def conversation(body):
        """The messages in the shape of Chat Completions."""
        messages = []
        for item in body["input"]:
            kind = item.get("type", "message")
            if kind == "function_call_output":
                messages.append({"role": "tool", "content": texts_of(item["output"])})
            elif kind == "message":
                messages.append({"role": item["role"], "content": texts_of(item["content"])})
            elif kind == "function_call":
                messages.append({"role": "assistant", "content": ""})
        return messages, body.get("instructions", "")

    @staticmethod
    def output(step, number):
        if step.get("thinking") or "redacted" in step:
            signed = {} if step.get("unsigned") else {"encrypted_content": step.get("redacted", "c2lnbmVk")}
            summary = [{"type": "summary_text", "text": step["thinking"]}] if step.get("thinking") else []
            yield {"type": "reasoning", "id": f"rs_{number}", "summary": summary, **signed}
        content = [{"type": "output_text", "text": step["text"], "annotations": []}] if step.get("text") else []
        if step.get("refusal"):
            content.append({"type": "refusal", "refusal": step["refusal"]})
        if content:
            yield {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": content}
        if "block" in step:
            yield dict(step["block"], id=f"un_{number}")
        for i, call in enumerate(step.get("tools", [])):
            yield {"type": "function_call", "id": f"fc_{number}_{i}", "call_id": call["id"], "name": call["name"],
                   "arguments": json.dumps(call["input"]), "status": "completed"}

    numbers = itertools.count(1)

    @classmethod
    def whole(cls, step, model, usage):
        number = next(cls.numbers)
        return {"id": f"resp_{number}", "object": "response", "model": model, "status": "completed", "error": None,
                "incomplete_details": None, "output": list(cls.output(step, number)),
                "usage": {"input_tokens": usage[0], "output_tokens": usage[1], "total_tokens": sum(usage)}}

    @classmethod
    def events(cls, step, model, usage):
        whole = cls.whole(step, model, usage)
        begun = dict(whole, status="in_progress", output=[], usage=None)
        yield {"type": "response.created", "response": begun}
        yield {"type": "response.in_progress", "response": begun}
        for index, item in enumerate(whole["output"]):
            yield {"type": "response.output_item.added", "output_index": index,
                   "item": {**item, **{name: empty for name, empty in
                                       (("content", []), ("arguments", ""), ("summary", [])) if name in item}}}
            yield from cls.deltas(item, index, step)
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
        yield None
        yield {"type": "response.completed", "response": whole}

    @staticmethod
    def deltas(item, index, step):
        at = {"item_id": item["id"], "output_index": index}
        for part_index, part in enumerate(item.get("summary", [])):
            at_part = {**at, "summary_index": part_index}
            yield {"type": "response.reasoning_summary_part.added", **at_part, "part": dict(part, text="")}
            for piece in pieces(part["text"], step):
                yield {"type": "response.reasoning_summary_text.delta", **at_part, "delta": piece}
            yield {"type": "response.reasoning_summary_text.done", **at_part, "text": part["text"]}
            yield {"type": "response.reasoning_summary_part.done", **at_part, "part": part}
        for part_index, part in enumerate(item.get("content", [])):
            at_part = {**at, "content_index": part_index}
            name = "text" if part["type"] == "output_text" else "refusal"
            yield {"type": "response.content_part.added", **at_part, "part": {**part, name: ""}}
            for piece in pieces(part[name], step):
                yield {"type": f"response.{part['type']}.delta", **at_part, "delta": piece}
            yield {"type": f"response.{part['type']}.done", **at_part, name: part[name]}
            yield {"type": "response.content_part.done", **at_part, "part": part}
        if "arguments" in item:
            for piece in pieces(item["arguments"], step):
                yield {"type": "response.function_call_arguments.delta", **at, "delta": piece}
            yield {"type": "response.function_call_arguments.done", **at, "arguments": item["arguments"]}

    frame = Anthropic.frame
    end = ""


class Gemini:
    path = "/v1beta/models/"

    @staticmethod
    def check(body, headers, key):
        if key and headers.get("x-goog-api-key") != key:
            raise Refused("unauthorized", "API key not valid. Please pass a valid API key.")
        for tool in body.get("tools", []):
            for function in tool["functionDeclarations"]:
                if function["parameters"]["type"] != "object":
                    raise Refused("refused", "Invalid 'tools'")
        return check_gemini.check_system(body.get("systemInstruction")) + check_gemini.check(
            body["contents"], model=body["model"])

    @staticmethod
    def error(refused):
        status = {"unauthorized": "UNAUTHENTICATED", "rate_limited": "RESOURCE_EXHAUSTED", "overloaded": "UNAVAILABLE",
                  "unavailable": "INTERNAL"}.get(refused.kind, "INVALID_ARGUMENT")
        return {"error": {"code": refused.status, "message": str(refused), "status": status}}

    @staticmethod
    def conversation(body):
        """The messages in the shape of Anthropic's."""
        messages = []
        for content in body["contents"]:
            parts = []
            for part in content["parts"]:
                if "functionResponse" in part:
                    response = part["functionResponse"]["response"]
                    parts.append({"type": "tool_result", "content": str(response.get("output", response))})
                elif "text" in part and not part.get("thought"):
                    parts.append({"type": "text", "text": part["text"]})
            messages.append({"role": {"model": "assistant"}.get(content["role"], content["role"]), "content": parts})
        system = body.get("systemInstruction") or {"parts": []}
        return messages, "".join(part["text"] for part in system["parts"])

    @staticmethod
    def parts(step):
        if step.get("thinking"):
            yield {"text": step["thinking"], "thought": True}
        signature = {"thoughtSignature": "c2lnbmVk"} if step.get("thinking") and not step.get("unsigned") else {}
        calls = step.get("tools", [])
        if step.get("text"):
            yield {"text": step["text"], **({} if calls else signature)}
        if "block" in step:
            yield {"citationList": step["block"]}
        if "picture" in step:
            yield {"inlineData": {"mimeType": "image/png", "data": step["picture"]}}
        for call in calls:
            yield {"functionCall": {"name": call["name"], "args": call["input"]}, **signature}

    @classmethod
    def response(cls, parts, model, usage, **reason):
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, **reason}],
                "usageMetadata": {"promptTokenCount": usage[0], "candidatesTokenCount": usage[1]},
                "modelVersion": model, "responseId": "r_1"}

    @classmethod
    def whole(cls, step, model, usage):
        return cls.response(list(cls.parts(step)), model, usage, finishReason="STOP")

    @classmethod
    def events(cls, step, model, usage):
        for part in cls.parts(step):
            rest = {name: value for name, value in part.items() if name != "thoughtSignature"}
            for piece in pieces(part["text"], step) if "text" in part else []:
                yield cls.response([dict(rest, text=piece)], model, usage)
            if "text" not in part:
                yield cls.response([part], model, usage)
            elif "thoughtSignature" in part:
                yield cls.response([dict(part, text="")], model, usage)
        yield None
        yield cls.response([{"text": ""}], model, usage, finishReason="STOP")

    frame = OpenAi.frame
    end = ""


WIRES = (Anthropic, OpenAi, Responses, Gemini)


def pieces(text, step):
    size = step.get("chunk", 7)
    return [text[i:i + size] for i in range(0, len(text), size)]


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
