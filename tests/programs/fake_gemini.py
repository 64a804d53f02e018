# SPDX-License-Identifier: MIT
"""Gemini's generateContent, as the fake provider speaks it."""
import check_gemini
from fake_answers import Refused, pieces
from fake_openai import OpenAi


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
