# SPDX-License-Identifier: MIT
"""OpenAI's Chat Completions, as the fake provider speaks it."""
import json

import check_openai
from fake_answers import ERRORS, Refused, pieces


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
