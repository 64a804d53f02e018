#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Independent checker: is an `input` array acceptable to OpenAI's Responses API?

usage: check_responses.py [--strict] [--json] FILE [FILE...]   ('-' = stdin)

FILE holds a JSON array, or an object with key "input" (and perhaps "system" or "instructions", checked too).
Exit 0 valid / 1 invalid / 2 unreadable.

Sources
  [schema]  https://www.openresponses.org/openapi/openapi.json, components ItemParam, UserMessageItemParam,
            AssistantMessageItemParam, FunctionCallItemParam, FunctionCallOutputItemParam, ReasoningItemParam: the
            schema of the request that OpenAI publishes; the same in the openai-python package, types/responses.
  [guide]   https://platform.openai.com/docs/guides/function-calling and .../guides/reasoning ("Keeping reasoning items
            in context"), and the messages of the server where the guide is silent, quoted below.

Rules (codes)
  SHAPE      array of objects, not empty; `type` one of message, function_call, function_call_output, reasoning
             (a message may leave it out); required members there, no unknown ones                          [schema]
  ROLE       role of a message: user, assistant, system, developer                                          [schema]
  CONTENT    a string or an array of parts. Parts of the assistant are output_text and refusal, those of others
             input_text, input_image, input_file ("Invalid value: 'input_text'. Supported values are: 'output_text'
             and 'refusal'."); phase only with the assistant: commentary, final_answer                      [schema]
  IMAGE      image_url is an http(s) address or data:image/(png|jpeg|gif|webp);base64,... of bytes of that type; detail low, high, auto
                                                            [schema; .../guides/images, "Image input requirements"]
  OWN        items that the server's own tools left (web_search_call, file_search_call, code_interpreter_call,
             image_generation_call, mcp_call, mcp_list_tools) have an id and their members                  [schema]
  LENGTH     text and output at most 10485760 characters, image_url 20971520                                [schema]
  CALLID     call_id of 1 to 64 characters ("string too long. Expected a string with maximum length 64"); --strict:
             ^[a-zA-Z0-9_-]+$                                                                               [schema]
  NAME       name ^[a-zA-Z0-9_-]{1,64}$                                                                     [schema]
  ARGS       arguments is a string; --strict: of a JSON object                                       [schema, guide]
  OUTPUT     output is a string or an array of input_text, input_image, input_file                          [schema]
  DUPCALL    a call_id is called once
  UNANSWERED every call has an output after it ("No tool output found for function call ...")               [guide]
  ORPHAN     every output answers a call before it ("No tool call found for function call output ...")       [guide]
  DUPRES     one output a call
  GROUP      (--strict) the outputs of an answer's calls directly follow the answer, before any other item
  ITEMID     an id has 1 to 64 characters [A-Za-z0-9_-] and begins with its kind (rs, msg, fc): "Expected an ID that
             begins with 'rs'", "Expected an ID that contains letters, numbers, underscores, or dashes"
  DUPITEM    ids are unique ("Duplicate item found with id ... Remove duplicate items from your input")
  REASONING  summary is an array of summary_text parts [schema]; --strict: encrypted_content is there, else the item
             must still be on the server ("Items are not persisted when `store` is set to false")            [guide]
  FOLLOWED   reasoning is directly before an item of the assistant's ("Item ... of type 'reasoning' was provided
             without its required following item.")                                                          [guide]
  UTF8       no lone surrogates: the body must be UTF-8
  ALT        (--strict) no two consecutive messages of the user, nor of the assistant unless their phases differ
  EMPTY      content is not empty; --strict: no text of white space only
  SYSTEM     instructions: null or a string that is not blank
"""
import argparse
import base64
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_anthropic import shown_type  # noqa: E402

WS = " \t\n\r\f\v\u00a0\u2028\u2029\u0085\u3000"  # as in check_anthropic.py
NAME_RE = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
DATA_RE = re.compile(r"data:image/(png|jpeg|gif|webp);base64,(.+)\Z", re.S)
TEXT_LIMIT, URL_LIMIT = 10485760, 20971520
KINDS = {  # kind: required members, other members, beginning of ids
    "message": ({"role", "content"}, {"type", "id", "status", "phase"}, "msg"),
    "function_call": ({"type", "call_id", "name", "arguments"}, {"id", "status"}, "fc"),
    "function_call_output": ({"type", "call_id", "output"}, {"id", "status"}, "fc"),
    "reasoning": ({"type", "summary"}, {"id", "status", "content", "encrypted_content"}, "rs"),
}
OWN_ITEMS = {"web_search_call": ({"status", "action"}, "ws"), "file_search_call": ({"status", "queries"}, "fs"),
             "code_interpreter_call": ({"status", "container_id", "code", "outputs"}, "ci"),
             "image_generation_call": ({"status", "result"}, "ig"),
             "mcp_call": ({"server_label", "name", "arguments"}, "mcp"), "mcp_list_tools": ({"server_label", "tools"}, "mcp")}
INPUT_PARTS = {"input_text", "input_image", "input_file"}
OUTPUT_PARTS = {"output_text", "refusal"}


def is_utf8(value):
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def kind_of(item):
    return item.get("type", "message" if "role" in item else None)


class Checker:
    def __init__(self, strict):
        self.strict = strict
        self.errors = []
        self.called, self.answered, self.ids = {}, set(), set()
        self.pending = []  # calls of the group that is open
        self.answering = False

    def error(self, code, index, text):
        self.errors.append((code, index, text))

    def shape(self, i, item):
        kind = kind_of(item) if isinstance(item, dict) else None
        if kind in OWN_ITEMS:
            members, begins = OWN_ITEMS[kind]
            if members - set(item) or not isinstance(item.get("id"), str):
                self.error("OWN", i, "%s %s" % (kind, sorted(item)))
                return None
            self.item_id(i, item["id"], begins)
            return "own"
        if kind not in KINDS:
            self.error("SHAPE", i, "item of type %r" % (kind,))
            return None
        required, others, begins = KINDS[kind]
        missing, unknown = required - set(item), set(item) - required - others
        if missing or unknown:
            self.error("SHAPE", i, "missing %s, unknown %s" % (sorted(missing), sorted(unknown)))
            return None
        if item.get("id") is not None:
            self.item_id(i, item["id"], begins)
        return kind

    def item_id(self, i, ident, begins):
        if not isinstance(ident, str) or not NAME_RE.match(ident) or not ident.startswith(begins):
            self.error("ITEMID", i, "id %r" % (ident,))
        elif ident in self.ids:
            self.error("DUPITEM", i, "id %r again" % ident)
        self.ids.add(str(ident))

    def text(self, i, text, code="CONTENT"):
        if not isinstance(text, str):
            self.error(code, i, "text is %s" % type(text).__name__)
            return
        if len(text) > TEXT_LIMIT:
            self.error("LENGTH", i, "text of %d characters" % len(text))
        if self.strict and code == "CONTENT" and not text.strip(WS):
            self.error("EMPTY", i, "blank text")

    def image(self, i, part):
        url = part.get("image_url")
        if part.get("detail", "auto") not in ("low", "high", "auto"):
            self.error("IMAGE", i, "detail %r" % (part.get("detail"),))
        if not isinstance(url, str):
            self.error("IMAGE", i, "image_url is %s" % type(url).__name__)
            return
        if len(url) > URL_LIMIT:
            self.error("LENGTH", i, "image_url of %d characters" % len(url))
        if re.match(r"https?://[^\s]", url):
            return
        data = DATA_RE.match(url)
        try:
            shown = shown_type(base64.b64decode(data.group(2) if data else "!", validate=True))
            if shown not in (None, "image/" + data.group(1)):
                self.error("IMAGE", i, "bytes of %s as image/%s" % (shown, data.group(1)))
        except ValueError:
            self.error("IMAGE", i, "image_url %r" % url[:40])

    def parts(self, i, parts, allowed, code):
        if not parts:
            self.error("EMPTY", i, "no parts")
        for part in parts:
            kind = part.get("type") if isinstance(part, dict) else None
            if kind not in allowed:
                self.error(code, i, "part %r" % (kind,))
            elif kind in ("input_text", "output_text"):
                self.text(i, part.get("text"))
            elif kind == "refusal":
                self.text(i, part.get("refusal"))
            elif kind == "input_image":
                self.image(i, part)

    def content(self, i, content, allowed, code):
        if isinstance(content, list):
            self.parts(i, content, allowed, code)
        else:
            self.text(i, content, code)
            if code == "CONTENT" and content == "" and not self.strict:
                self.error("EMPTY", i, "no text")

    def message(self, i, item):
        role = item["role"]
        if role not in ("user", "assistant", "system", "developer"):
            self.error("ROLE", i, "role %r" % (role,))
            return
        phases = (None, "commentary", "final_answer") if role == "assistant" else (None,)
        if item.get("phase") not in phases:
            self.error("CONTENT", i, "phase %r of role %s" % (item["phase"], role))
        self.content(i, item["content"], OUTPUT_PARTS if role == "assistant" else INPUT_PARTS, "CONTENT")

    def call_id(self, i, item):
        call_id = item["call_id"]
        fits = isinstance(call_id, str) and 1 <= len(call_id) <= 64
        if not fits or (self.strict and not NAME_RE.match(call_id)):
            self.error("CALLID", i, "call_id %r" % (call_id,))
        return str(call_id)

    def function_call(self, i, item):
        call_id = self.call_id(i, item)
        if not isinstance(item["name"], str) or not NAME_RE.match(item["name"]):
            self.error("NAME", i, "name %r" % (item["name"],))
        arguments = item["arguments"]
        if not isinstance(arguments, str):
            self.error("ARGS", i, "arguments is %s" % type(arguments).__name__)
        elif self.strict:
            try:
                if not isinstance(json.loads(arguments), dict):
                    self.error("ARGS", i, "arguments of no object")
                elif not is_utf8(json.loads(arguments)):
                    self.error("UTF8", i, "lone surrogate in arguments")
            except ValueError:
                self.error("ARGS", i, "arguments of no JSON")
        if call_id in self.called:
            self.error("DUPCALL", i, "call_id %r again" % call_id)
        self.called[call_id] = i

    def function_call_output(self, i, item):
        call_id = self.call_id(i, item)
        self.content(i, item["output"], INPUT_PARTS, "OUTPUT")
        if call_id not in self.called:
            self.error("ORPHAN", i, "output of %r" % call_id)
        elif call_id in self.answered:
            self.error("DUPRES", i, "second output of %r" % call_id)
        else:
            self.answered.add(call_id)

    def reasoning(self, i, item):
        summary = item["summary"]
        if not isinstance(summary, list) or not all(
                isinstance(s, dict) and s.get("type") == "summary_text" and isinstance(s.get("text"), str)
                for s in summary):
            self.error("REASONING", i, "summary")
        secret = item.get("encrypted_content")
        if (self.strict or secret is not None) and not (isinstance(secret, str) and secret):
            self.error("REASONING", i, "encrypted_content %r" % (secret,))
        if self.strict and item.get("id") is None:
            self.error("ITEMID", i, "reasoning without id")

    def group(self, i, kind, item):
        """The items of an answer, then the outputs of its calls, then anything else."""
        call_id = str(item.get("call_id"))
        if kind == "function_call_output":
            if call_id in self.pending:
                self.pending.remove(call_id)
            self.answering = bool(self.pending)
            return
        if self.pending and (self.answering or item.get("role", "assistant") != "assistant"):
            self.error("GROUP", i, "%s before the outputs of %s" % (kind, self.pending))
            self.pending, self.answering = [], False
        if kind == "function_call":
            self.pending.append(call_id)

    def neighbours(self, i, before, item):
        kinds = [before and kind_of(before), kind_of(item)]
        if kinds[0] == "reasoning" and not (
                kinds[1] in OWN_ITEMS or kinds[1] == "function_call" or (kinds[1] == "message" and item["role"] == "assistant")):
            self.error("FOLLOWED", i - 1, "reasoning before %s" % kinds[1])
        if self.strict and kinds == ["message", "message"] and before["role"] == item["role"] \
                and before.get("phase") == item.get("phase"):
            self.error("ALT", i, "two messages of %s" % item["role"])

    def run(self, items):
        before = None
        for i, item in enumerate(items):
            if not is_utf8(item):
                self.error("UTF8", i, "lone surrogate")
            kind = self.shape(i, item)
            if kind is None:
                before = None
                continue
            if kind != "own":
                getattr(self, kind)(i, item)
            if self.strict:
                self.group(i, kind, item)
            self.neighbours(i, before, item)
            before = item
        if before is not None and kind_of(before) == "reasoning":
            self.error("FOLLOWED", len(items) - 1, "reasoning at the end")
        for call_id, i in self.called.items():
            if call_id not in self.answered:
                self.error("UNANSWERED", i, "no output for %r" % call_id)
        return self.errors


def check(items, strict=False):
    """-> list of (code, item index, text). Empty list = valid."""
    if not isinstance(items, list) or not items:
        return [("SHAPE", -1, "not a non-empty array")]
    return Checker(strict).run(items)


def check_system(instructions):
    if instructions is None or (isinstance(instructions, str) and instructions.strip(WS) and is_utf8(instructions)):
        return []
    return [("SYSTEM", -1, "instructions %r" % (instructions,))]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--strict", action="store_true")
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
            errs = check_system(data.get("instructions", data.get("system")))
            data = data.get("input")
        errs += check(data, a.strict)
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
