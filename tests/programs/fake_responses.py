# SPDX-License-Identifier: MIT
"""OpenAI's Responses, as the fake provider speaks it."""
import itertools
import json

import check_responses
from fake_answers import Refused, pieces
from fake_anthropic import Anthropic
from fake_openai import OpenAi


def texts_of(content):
    """The content of Responses as a string."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


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
