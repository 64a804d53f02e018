#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Independent checker: is a `messages` array acceptable to OpenAI Chat Completions?

usage: check_openai.py [--strict] [--json] FILE [FILE...]   ('-' = stdin)

FILE holds a JSON array, or an object with key "messages". Exit 0 valid / 1 invalid / 2 unreadable.

Rules (codes)
  SHAPE      array of objects; role in developer|system|user|assistant|tool
  CONTENT    content is a string or an array of parts; null/absent only for an assistant message
             that has tool_calls (or refusal/audio); content of tool is string or text parts
  CALLS      tool_calls only on assistant, not empty, each {id, type:"function",
             function:{name, arguments}} with arguments a STRING; name ^[a-zA-Z0-9_-]{1,64}$;
             id at most 40 characters
  ARGS       (--strict) arguments parse as a JSON object
  DUPCALL    ids unique within one assistant message (--strict: over the whole array)
  UNANSWERED an assistant message with tool_calls is followed at once by tool messages, one for
             each tool_call_id, before any other role
  ORPHAN     a tool message answers a tool_call of the nearest preceding assistant message,
             with only tool messages between
  DUPRES     one tool message per tool_call_id
  ALT        (--strict) no two consecutive user messages / no two consecutive assistant messages
  EMPTY      (--strict) no empty user/assistant text
"""
import argparse, json, re, sys

ROLES = {"developer", "system", "user", "assistant", "tool"}
NAME_RE = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")


def check(messages, strict=False):
    errs = []

    def e(code, i, text):
        errs.append((code, i, text))

    if not isinstance(messages, list) or not messages:
        return [("SHAPE", -1, "not a non-empty array")]
    pending, pending_at, answered, all_ids = [], -1, set(), set()
    prev_role = None
    for i, m in enumerate(messages):
        if not isinstance(m, dict) or m.get("role") not in ROLES:
            e("SHAPE", i, "role %r" % (m.get("role") if isinstance(m, dict) else m,))
            continue
        role = m["role"]
        if role != "tool":
            miss = [x for x in pending if x not in answered]
            if miss:
                e("UNANSWERED", pending_at, "tool_call_ids without response: %s" % miss)
            pending, answered = [], set()
        c = m.get("content")
        calls = m.get("tool_calls")
        if c is None:
            if not (role == "assistant" and (calls or m.get("refusal") or m.get("audio"))):
                e("CONTENT", i, "content is null")
        elif isinstance(c, list):
            if not c:
                e("CONTENT", i, "empty content array")
            for p in c:
                if not isinstance(p, dict) or not isinstance(p.get("type"), str):
                    e("CONTENT", i, "bad part")
                elif role in ("tool", "system", "developer") and p["type"] != "text":
                    e("CONTENT", i, "part %r in role %s" % (p["type"], role))
                elif p["type"] in ("tool_use", "tool_result"):
                    e("CONTENT", i, "Anthropic part %r" % p["type"])
                elif p["type"] == "text" and not isinstance(p.get("text"), str):
                    e("CONTENT", i, "text part without text")
        elif not isinstance(c, str):
            e("CONTENT", i, "content is %s" % type(c).__name__)
        elif strict and role in ("user", "assistant") and not c.strip() and not calls:
            e("EMPTY", i, "empty text")
        if calls is not None:
            if role != "assistant":
                e("CALLS", i, "tool_calls on role %s" % role)
            if not isinstance(calls, list) or not calls:
                e("CALLS", i, "tool_calls is empty or not an array")
                calls = []
            ids = []
            for k in calls:
                f = k.get("function") if isinstance(k, dict) else None
                if not isinstance(k, dict) or not isinstance(k.get("id"), str) or not k["id"]:
                    e("CALLS", i, "tool_call without id")
                    continue
                if len(k["id"]) > 40:
                    e("CALLS", i, "id longer than 40")
                if k.get("type") != "function" or not isinstance(f, dict):
                    e("CALLS", i, "tool_call type/function")
                    f = {}
                if not isinstance(f.get("name"), str) or not NAME_RE.match(f["name"]):
                    e("CALLS", i, "function name %r" % (f.get("name"),))
                if not isinstance(f.get("arguments"), str):
                    e("CALLS", i, "arguments is not a string")
                elif strict:
                    try:
                        if not isinstance(json.loads(f["arguments"]), dict):
                            e("ARGS", i, "arguments is not an object")
                    except ValueError:
                        e("ARGS", i, "arguments is not JSON")
                if k["id"] in ids or (strict and k["id"] in all_ids):
                    e("DUPCALL", i, "id %r used twice" % k["id"])
                ids.append(k["id"])
                all_ids.add(k["id"])
            pending, pending_at, answered = ids, i, set()
        if role == "tool":
            tid = m.get("tool_call_id")
            if not isinstance(tid, str) or tid not in pending:
                e("ORPHAN", i, "tool message for %r answers no preceding tool_call" % (tid,))
            elif tid in answered:
                e("DUPRES", i, "second tool message for %r" % tid)
            else:
                answered.add(tid)
        if strict and role in ("user", "assistant") and prev_role == role:
            e("ALT", i, "two consecutive %s messages" % role)
        prev_role = role
    miss = [x for x in pending if x not in answered]
    if miss:
        e("UNANSWERED", pending_at, "tool_call_ids without response: %s" % miss)
    return errs


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--strict", action="store_true")
    ap.add_argument("--json", action="store_true")
    ap.add_argument("files", nargs="+")
    a = ap.parse_args()
    bad, report = 0, {}
    for f in a.files:
        try:
            data = json.load(sys.stdin if f == "-" else open(f, encoding="utf-8"))
        except Exception as ex:
            print("%s: unreadable: %s" % (f, ex), file=sys.stderr)
            return 2
        if isinstance(data, dict):
            data = data.get("messages")
        errs = check(data, a.strict)
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
