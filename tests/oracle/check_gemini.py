#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Independent checker: is a `contents` array acceptable to Gemini's generateContent?

usage: check_gemini.py [--mode strict|api] [--model NAME] [--allow-prefill] [--json] FILE [FILE...]   ('-' = stdin)

FILE holds a JSON array, or an object with key "contents" (and perhaps "system" or "systemInstruction", checked too).
Exit 0 valid / 1 invalid / 2 unreadable.

Modes
  strict  for histories of a persistence library: roles alternate, every step is signed, no blank text.
  api     as the server accepts it: consecutive messages of one role are one turn, signatures are required in the current turn
          only (since the last text of the user).
--model: gemini-1* and gemini-2* ask for no signatures. No model: the rules of the newer ones.

Sources
  [api]    https://ai.google.dev/api/caching (Content, Part, FunctionCall, FunctionResponse, Blob) and the same types in
           the googleapis protos, google/ai/generativelanguage/v1beta/content.proto
  [calls]  https://ai.google.dev/gemini-api/docs/function-calling
  [thought] https://ai.google.dev/gemini-api/docs/thought-signatures and
           https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures
  [image]  https://ai.google.dev/gemini-api/docs/image-understanding, .../docs/file-input-methods
  If these do not say it, the messages of the server, quoted below.

Rules (codes)
  SHAPE      array of objects with role and parts and nothing else, not empty                                  [api]
  ROLE       role is user or model ("Please use a valid role: user, model.")                                   [api]
  PARTS      parts is a non-empty array ("contents.parts must not be empty")
  PART       each part has exactly one of text, inlineData, fileData, functionCall, functionResponse ("required oneof
             field 'data' must have one initialized field"), beside it only thought and thoughtSignature        [api];
             of the model also executableCode and codeExecutionResult                                          [api]
  EMPTY      no text "" ("it has an empty text parameter"); strict: none of white space only. One that carries a
             thoughtSignature is the end of an answer and goes back as it is, but not alone                 [thought]
  SIDE       functionCall and thought only with role model, functionResponse only with role user             [calls]
  NAME       name ^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$ ("Must start with a letter or an underscore. Must be a-z, A-Z,
             0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.")
  ARGS       args is an object or absent                                                             [api: a Struct]
  RESPONSE   response is an object [api: a Struct]; its parts are inlineData of png, jpeg, webp; not before gemini-3
                                                                                                             [calls]
  IMAGE      inlineData: valid base64; of images png, jpeg, webp, heic, heif, and the bytes are of that type. fileData: an
             https address with mimeType                                                                       [image]
  FIRST      the first content is the user's ("function call turn comes immediately after a user turn")
  ALT        roles alternate; content of the user may follow function responses
  MIXED      a content with a functionResponse has no other parts ("Requests ending with a model turn are not
             supported." is the server's answer to it)
  COUNT      calls are answered by the next content with as many responses ("the number of function response parts is
             equal to the number of function call parts of the function call turn")                          [calls]
  MATCH      responses have the names of the calls, in their order; ids, where there are any, too    [calls, by name]
  ORPHAN     responses directly follow calls ("function response turn comes immediately after a function call turn")
  UNANSWERED calls are not the last content
  THOUGHT    thought is true and is beside a text                                                           [api]
  SIGNATURE  thoughtSignature is base64 (TYPE_BYTES), on parts of the model [api]; the first functionCall of each step
             has one ("Function call is missing a thought_signature in functionCall parts"); a call of another model
             has skip_thought_signature_validator                                                          [thought]
  UTF8       no lone surrogates: the body must be UTF-8
  LAST       the last content is the user's ("Requests ending with a model turn are not supported"), unless
             --allow-prefill
  SYSTEM     systemInstruction: null or an object with parts of text                                            [api]
"""
import argparse
import base64
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_anthropic import shown_type  # noqa: E402

NAME_RE = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}\Z")
BYTES_RE = re.compile(r"[A-Za-z0-9+/_-]+={0,2}\Z")
OLD_RE = re.compile(r"(.*/)?gemini-(live-)?[12](\D|\Z)")
CODE = ("executableCode", "codeExecutionResult")
DATA = ("text", "inlineData", "fileData", "functionCall", "functionResponse") + CODE
OTHER_TYPES = ("application/pdf", "audio/", "video/", "text/")
IMAGES = {"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}
RESPONSE_IMAGES = {"image/png", "image/jpeg", "image/webp"}
WS = " \t\n\r\f\v\u00a0\u2028\u2029\u0085\u3000"


def is_utf8(value):
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_base64(data):
    try:
        return isinstance(data, str) and data != "" and base64.b64decode(data, validate=True) is not None
    except ValueError:
        return False


def only(content, member):
    return [part[member] for part in content["parts"] if isinstance(part, dict) and isinstance(part.get(member), dict)]


def merge_consecutive(contents):
    """As the server reads them: consecutive messages of one role are one turn, except function responses."""
    out = []
    for content in contents:
        before = out[-1] if out else None
        if before and before["role"] == content["role"] and bool(only(before, "functionResponse")) == bool(
                only(content, "functionResponse")):
            out[-1] = {"role": content["role"], "parts": before["parts"] + content["parts"]}
        else:
            out.append(content)
    return out


class Checker:
    def __init__(self, mode, allow_prefill, model):
        self.strict = mode == "strict"
        self.prefill = allow_prefill
        self.signs = not OLD_RE.match(model)
        self.errors = []

    def error(self, code, index, text):
        self.errors.append((code, index, text))

    def shape(self, i, content):
        if not isinstance(content, dict) or set(content) != {"role", "parts"}:
            self.error("SHAPE", i, "content %s" % (sorted(content) if isinstance(content, dict) else content))
            return False
        if content["role"] not in ("user", "model"):
            self.error("ROLE", i, "role %r" % (content["role"],))
            return False
        if not isinstance(content["parts"], list) or not content["parts"]:
            self.error("PARTS", i, "no parts")
            return False
        return True

    def blob(self, i, blob, types, code="IMAGE"):
        kind = blob.get("mimeType") if isinstance(blob, dict) else None
        known = kind in types or (code == "IMAGE" and str(kind).startswith(OTHER_TYPES))
        if not known or not is_base64(blob.get("data")) or (
                kind in IMAGES and shown_type(base64.b64decode(blob["data"])) not in (None, kind)):
            self.error(code, i, "inlineData %r" % (blob.get("mimeType") if isinstance(blob, dict) else blob,))

    def file(self, i, file):
        if not isinstance(file, dict) or not (
                file.get("mimeType") in IMAGES or str(file.get("mimeType")).startswith(OTHER_TYPES)) or not re.match(r"https://\S", str(file.get("fileUri"))):
            self.error("IMAGE", i, "fileData %r" % (file,))

    def name(self, i, function):
        if not isinstance(function.get("name"), str) or not NAME_RE.match(function["name"]):
            self.error("NAME", i, "name %r" % (function.get("name"),))

    def call(self, i, call):
        if not isinstance(call, dict) or set(call) - {"name", "args", "id"}:
            return self.error("PART", i, "functionCall %r" % (call,))
        self.name(i, call)
        if not isinstance(call.get("args", {}), dict):
            self.error("ARGS", i, "args %r" % (call["args"],))
        return None

    def response(self, i, response):
        if not isinstance(response, dict) or set(response) - {"name", "response", "id", "parts"}:
            return self.error("PART", i, "functionResponse %r" % (response,))
        self.name(i, response)
        if not isinstance(response.get("response"), dict):
            self.error("RESPONSE", i, "response %r" % (response.get("response"),))
        parts = response.get("parts", [])
        if parts and not self.signs:
            self.error("RESPONSE", i, "parts for an old model")
        for part in parts:
            if not isinstance(part, dict) or set(part) != {"inlineData"}:
                self.error("RESPONSE", i, "part %r" % (part,))
            else:
                self.blob(i, part["inlineData"], RESPONSE_IMAGES, "RESPONSE")
        return None

    def text(self, i, text, signed=False):
        if not isinstance(text, str):
            self.error("PART", i, "text is %s" % type(text).__name__)
        elif (text == "" or (self.strict and not text.strip(WS))) and not signed:
            self.error("EMPTY", i, "text %r" % text)

    def code(self, i, code):
        if not isinstance(code, dict) or not ("code" in code or "outcome" in code):
            self.error("PART", i, "code %r" % (code,))

    def part(self, i, role, part):
        data = [member for member in DATA if isinstance(part, dict) and member in part]
        if len(data) != 1 or set(part) - set(data) - {"thought", "thoughtSignature"}:
            self.error("PART", i, "part %s" % (sorted(part) if isinstance(part, dict) else part))
            return
        kind = data[0]
        signed = isinstance(part.get("thoughtSignature"), str) and role == "model"
        checks = {"text": lambda i, text: self.text(i, text, signed), "executableCode": self.code,
                  "codeExecutionResult": self.code, "inlineData": lambda i, blob: self.blob(i, blob, IMAGES), "fileData": self.file,
                  "functionCall": self.call, "functionResponse": self.response}
        checks[kind](i, part[kind])
        if (kind == "functionCall" or kind in CODE or "thought" in part) and role != "model":
            self.error("SIDE", i, "%s of role %s" % (kind, role))
        if kind == "functionResponse" and role != "user":
            self.error("SIDE", i, "functionResponse of role %s" % role)
        if "thought" in part and (part["thought"] is not True or kind != "text"):
            self.error("THOUGHT", i, "thought %r beside %s" % (part["thought"], kind))
        signature = part.get("thoughtSignature")
        if "thoughtSignature" in part and (role != "model" or not isinstance(signature, str)
                                           or not BYTES_RE.match(signature) or len(signature) % 4):
            self.error("SIGNATURE", i, "thoughtSignature %r" % (signature,))

    def answers(self, i, calls, content):
        responses = only(content, "functionResponse") if content["role"] == "user" else []
        if len(responses) != len(calls):
            self.error("COUNT", i, "%d calls, %d responses" % (len(calls), len(responses)))
            return
        ids = [call.get("id") for call in calls]
        if [r.get("id") for r in responses] == ids and None not in ids:
            pass
        elif [r.get("name") for r in responses] != [c.get("name") for c in calls] or any(
                r.get("id") not in (None, c.get("id")) for r, c in zip(responses, calls)):
            self.error("MATCH", i, "responses %s" % [r.get("name") for r in responses])

    def turns(self, contents):
        if contents[0]["role"] != "user":
            self.error("FIRST", 0, "begins with %s" % contents[0]["role"])
        for i, content in enumerate(contents):
            before = contents[i - 1] if i else None
            responses = only(content, "functionResponse")
            calls_before = only(before, "functionCall") if before else []
            if before and before["role"] == content["role"] and not (
                    content["role"] == "user" and only(before, "functionResponse") and not responses):
                self.error("ALT", i, "two contents of %s" % content["role"])
            if responses and len(responses) != len(content["parts"]):
                self.error("MIXED", i, "other parts beside responses")
            if responses and not calls_before:
                self.error("ORPHAN", i, "responses %s" % [r.get("name") for r in responses])
            if calls_before:
                self.answers(i, calls_before, content)
        last = contents[-1]
        if only(last, "functionCall"):
            self.error("UNANSWERED", len(contents) - 1, "calls at the end")
        elif last["role"] == "model" and not self.prefill:
            self.error("LAST", len(contents) - 1, "the model has the last word")

    def signatures(self, contents):
        for i in reversed(range(len(contents))):
            content = contents[i]
            calls = [part for part in content["parts"] if isinstance(part, dict) and "functionCall" in part]
            if calls and "thoughtSignature" not in calls[0]:
                self.error("SIGNATURE", i, "the first call is not signed")
            if not self.strict and content["role"] == "user" and not only(content, "functionResponse"):
                return

    def run(self, contents):
        whole = True
        for i, content in enumerate(contents):
            if not is_utf8(content):
                self.error("UTF8", i, "lone surrogate")
            if not self.shape(i, content):
                whole = False
                continue
            for part in content["parts"]:
                self.part(i, content["role"], part)
            if all(isinstance(part, dict) and part.get("text") == "" for part in content["parts"]) and content["parts"]:
                self.error("EMPTY", i, "nothing but an empty text")
        if whole:
            if not self.strict:
                contents = merge_consecutive(contents)
            self.turns(contents)
            if self.signs:
                self.signatures(contents)
        return self.errors


def check(contents, mode="strict", allow_prefill=False, model=""):
    """-> list of (code, content index, text). Empty list = valid."""
    if not isinstance(contents, list) or not contents:
        return [("SHAPE", -1, "not a non-empty array")]
    return Checker(mode, allow_prefill, model).run(contents)


def check_system(instruction):
    if instruction is None:
        return []
    parts = instruction.get("parts") if isinstance(instruction, dict) else None
    if isinstance(parts, list) and parts and is_utf8(instruction) and not set(instruction) - {"role", "parts"} and all(
            isinstance(p, dict) and set(p) == {"text"} and isinstance(p["text"], str) and p["text"].strip(WS) for p in parts):
        return []
    return [("SYSTEM", -1, "systemInstruction %r" % (instruction,))]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--mode", choices=["strict", "api"], default="strict")
    ap.add_argument("--model", default="")
    ap.add_argument("--allow-prefill", action="store_true",
                    help="a history may end with the model (the next words of the user are yet to come)")
    ap.add_argument("--json", action="store_true")
    ap.add_argument("files", nargs="+")
    a = ap.parse_args()
    bad, report = 0, {}
    for f in a.files:
        errs = []
        try:
            data = json.load(sys.stdin if f == "-" else open(f, encoding="utf-8"))
        except Exception as ex:
            print("%s: unreadable: %s" % (f, ex), file=sys.stderr)
            return 2
        if isinstance(data, dict):
            errs = check_system(data.get("systemInstruction", data.get("system")))
            data = data.get("contents")
        errs += check(data, a.mode, a.allow_prefill, a.model)
        report[f] = [{"code": c, "index": i, "text": t} for c, i, t in errs]
        bad += bool(errs)
        if not a.json:
            print("%s: %s" % (f, "ok" if not errs else "INVALID"))
            for c, i, t in errs:
                print("  [%d] %s: %s" % (i, c, t))
    if a.json:
        print(json.dumps(report, indent=1, ensure_ascii=False))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
