# SPDX-License-Identifier: MIT
"""A provider on the loopback: Anthropic's Messages and OpenAI's Responses. Keeps the bodies of the requests."""
import gzip
import http.server
import json
import threading


def message(body, number):
    return {"id": "msg_fake%04d" % number, "type": "message", "role": "assistant", "model": body.get("model", "m"),
            "content": [{"type": "text", "text": "Understood."}], "stop_reason": "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 5}}


def anthropic_events(made):
    begun = dict(made, content=[], stop_reason=None)
    yield "message_start", {"type": "message_start", "message": begun}
    yield "content_block_start", {"type": "content_block_start", "index": 0,
                                  "content_block": {"type": "text", "text": ""}}
    yield "content_block_delta", {"type": "content_block_delta", "index": 0,
                                  "delta": {"type": "text_delta", "text": "Understood."}}
    yield "content_block_stop", {"type": "content_block_stop", "index": 0}
    yield "message_delta", {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                            "usage": {"output_tokens": 5}}
    yield "message_stop", {"type": "message_stop"}


def responses_events(number):
    item = {"type": "message", "id": "msg_%d" % number, "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "Understood.", "annotations": []}]}
    usage = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 105}
    done = {"id": "resp_%d" % number, "object": "response", "status": "completed", "output": [item], "usage": usage}
    yield "response.created", {"type": "response.created", "response": dict(done, status="in_progress", output=[])}
    yield "response.output_item.added", {"type": "response.output_item.added", "output_index": 0,
                                         "item": dict(item, content=[])}
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
            events = responses_events(number)
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
