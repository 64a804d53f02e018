# SPDX-License-Identifier: MIT
"""A provider on the loopback: Anthropic's Messages and OpenAI's Responses. Keeps the bodies of the requests.

It says "Understood.", or calls the program's shell if the prompt has the mark `CALL_A_TOOL`."""
import gzip
import http.server
import json
import threading


CALL_A_TOOL = "[call a tool]"  # a prompt with this mark is answered with a call of the program's shell
SHELLS = ("Bash", "bash", "exec_command", "shell_command")


def shell_of(body):
    """The program's tool that runs a command: its name, or none."""
    names = [tool.get("name") for tool in body.get("tools") or []]
    return next((name for name in SHELLS if name in names), None)


def arguments_of(shell, number):
    command = "echo made-by-the-tool-$((%d))" % number
    return {"cmd": command} if shell == "exec_command" else {"command": command, "description": "Say it"}


def wants_a_call(body):
    """True after a prompt with the mark, until the result of the call is there."""
    entries = body.get("messages") or body.get("input")
    for entry in reversed(entries if isinstance(entries, list) else []):
        content = entry.get("content")
        for block in reversed(content if isinstance(content, list) else [content or entry]):
            if isinstance(block, dict) and block.get("type") in ("tool_result", "function_call_output"):
                return False
            if CALL_A_TOOL in json.dumps(block):
                return True
    return False


def message(body, number):
    made = {"id": "msg_fake%04d" % number, "type": "message", "role": "assistant", "model": body.get("model", "m"),
            "content": [{"type": "text", "text": "Understood."}], "stop_reason": "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 5}}
    shell = shell_of(body)
    if shell and wants_a_call(body):
        made["content"] = [{"type": "tool_use", "id": "toolu_fake%04d" % number, "name": shell,
                            "input": arguments_of(shell, number)}]
        made["stop_reason"] = "tool_use"
    return made


def anthropic_events(made):
    block = made["content"][0]
    begun = dict(made, content=[], stop_reason=None)
    yield "message_start", {"type": "message_start", "message": begun}
    if block["type"] == "text":
        first, delta = dict(block, text=""), {"type": "text_delta", "text": block["text"]}
    else:
        first, delta = dict(block, input={}), {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": first}
    yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": 0}
    yield "message_delta", {"type": "message_delta", "delta": {"stop_reason": made["stop_reason"],
                                                               "stop_sequence": None}, "usage": {"output_tokens": 5}}
    yield "message_stop", {"type": "message_stop"}


def responses_events(body, number):
    shell = shell_of(body)
    if shell and wants_a_call(body):
        item = {"type": "function_call", "id": "fc_%d" % number, "call_id": "call_fake%04d" % number, "name": shell,
                "arguments": json.dumps(arguments_of(shell, number)), "status": "completed"}
        begun = dict(item, arguments="")
    else:
        item = {"type": "message", "id": "msg_%d" % number, "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Understood.", "annotations": []}]}
        begun = dict(item, content=[])
    used = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 105}
    done = {"id": "resp_%d" % number, "object": "response", "status": "completed", "output": [item], "usage": used}
    yield "response.created", {"type": "response.created", "response": dict(done, status="in_progress", output=[])}
    yield "response.output_item.added", {"type": "response.output_item.added", "output_index": 0, "item": begun}
    if item["type"] == "message":
        yield "response.output_text.delta", {"type": "response.output_text.delta", "item_id": item["id"],
                                             "output_index": 0, "content_index": 0, "delta": "Understood."}
    yield "response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield "response.completed", {"type": "response.completed", "response": done}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, kind, data):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def send_json(self, value):
        self.send("application/json", json.dumps(value).encode())

    def do_GET(self):
        self.send_json({"data": [], "models": []})

    def do_HEAD(self):
        self.send_json({})

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            data = gzip.decompress(data)
        path = self.path.split("?")[0]
        try:
            body = json.loads(data)
        except ValueError:
            return self.send_json({})
        with self.server.lock:
            self.server.requests.append((path, body))
            number = len(self.server.requests)
        if path.endswith("/count_tokens"):
            return self.send_json({"input_tokens": 100})
        if path.endswith("/messages"):
            made = message(body, number)
            if not body.get("stream"):
                return self.send_json(made)
            events = anthropic_events(made)
        elif path.endswith("/responses"):
            events = responses_events(body, number)
        else:
            return self.send_json({})
        text = "".join("event: %s\ndata: %s\n\n" % (name, json.dumps(data)) for name, data in events)
        return self.send("text/event-stream", text.encode())


def start():
    """A provider that runs until the process ends; `requests` are pairs of path and body."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.requests, server.lock = [], threading.Lock()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
