# SPDX-License-Identifier: MIT
"""What the fake provider says: the steps of its script, its own words after them, and refusals."""
import json
import pathlib
import threading

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


def pieces(text, step):
    size = step.get("chunk", 7)
    return [text[i:i + size] for i in range(0, len(text), size)]
