# SPDX-License-Identifier: MIT
"""Anthropic's Messages API, as the fake provider speaks it."""
import json

import check_anthropic
from fake_answers import ERRORS, Refused, pieces


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
