#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Independent checker: is a `messages` array acceptable to the Anthropic Messages API?

usage: check_anthropic.py [--mode strict|api] [--allow-trailing-tool-use]
                          [--allow-prefill] [--json] FILE [FILE...]      ('-' = stdin)

FILE holds a JSON array of messages, or an object with key "messages".
Exit status: 0 all files valid, 1 some file invalid, 2 unreadable input.

Modes
  strict  what a persistence library should hand out: literal alternation of
          user/assistant, no reliance on server-side merging.
  api     what the server accepts: consecutive same-role messages are first combined
          into one turn (documented: "Consecutive user or assistant turns in your request
          will be combined into a single turn"), then the same rules apply.

Rules (codes)
  SHAPE      array of objects with role+content; role in {user, assistant}
             (a `system` role is not allowed in the array: it is a top-level parameter)
  FIRST      first message is role user
  ALT        roles alternate                                            (strict only)
  EMPTY      content not empty: no "", no [], no text block with text "" (an API 400).
             whitespace-only text is an error when it is the only content of the message,
             (API 400 "must contain non-whitespace text"); strict rejects it anywhere
  BLOCK      known block shape; required fields; tool_use only in assistant,
             tool_result only in user; tool_use.input is an object;
             ids match ^[a-zA-Z0-9_-]+$, tool name ^[a-zA-Z0-9_-]{1,128}$
  DUPUSE     tool_use ids unique over the whole array
  UNANSWERED every tool_use id of an assistant message has a tool_result with the same id in
             the immediately following user message
  ORPHAN     every tool_result refers to a tool_use of the immediately preceding message
  DUPRES     one tool_result per tool_use
  ORDER      in a user message tool_result blocks come before any other block
  LASTTEXT   last message assistant (prefill): refused unless --allow-prefill; text of it must
             not end in whitespace
"""
import argparse, json, re, sys

ID_RE = re.compile(r"^[a-zA-Z0-9_-]+$")
NAME_RE = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
USER_BLOCKS = {"text", "image", "document", "tool_result", "search_result", "container_upload"}
ASSISTANT_BLOCKS = {"text", "tool_use", "thinking", "redacted_thinking", "server_tool_use",
                    "web_search_tool_result", "code_execution_tool_result"}
WS = " \t\n\r\f\v\u00a0\u2028\u2029\u0085\u3000"


def blocks_of(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def merge_consecutive(messages):
    out = []
    for m in messages:
        if out and isinstance(m, dict) and out[-1].get("role") == m.get("role") \
                and isinstance(m.get("content"), (str, list)) \
                and isinstance(out[-1].get("content"), (str, list)):
            out[-1] = {"role": m["role"],
                       "content": list(blocks_of(out[-1]["content"])) + list(blocks_of(m["content"]))}
        else:
            out.append(dict(m) if isinstance(m, dict) else m)
    return out


def check(messages, mode="strict", allow_trailing_tool_use=False, allow_prefill=False):
    """-> list of (code, message index, text). Empty list = valid."""
    errs = []

    def e(code, i, text):
        errs.append((code, i, text))

    if not isinstance(messages, list):
        return [("SHAPE", -1, "not an array")]
    if not messages:
        return [("SHAPE", -1, "at least one message is required")]
    for i, m in enumerate(messages):
        if not isinstance(m, dict):
            e("SHAPE", i, "message is not an object")
            continue
        extra = set(m) - {"role", "content"}
        if extra:
            e("SHAPE", i, "extra keys %s" % sorted(extra))
        if m.get("role") not in ("user", "assistant"):
            e("SHAPE", i, "role %r" % (m.get("role"),))
        if not isinstance(m.get("content"), (str, list)):
            e("SHAPE", i, "content is %s" % type(m.get("content")).__name__)
    if errs:
        return errs
    if mode == "api":
        messages = merge_consecutive(messages)
    if messages[0]["role"] != "user":
        e("FIRST", 0, "first message has role %r" % messages[0]["role"])
    seen_ids = {}
    for i, m in enumerate(messages):
        role, content = m["role"], m["content"]
        last = i == len(messages) - 1
        if i and messages[i - 1]["role"] == role:
            e("ALT", i, "two consecutive %s messages" % role)
        bl = blocks_of(content)
        if not bl or content == "":
            if not (last and role == "assistant"):
                e("EMPTY", i, "empty content")
            bl = [] if content == "" else bl
        texts = [b for b in bl if isinstance(b, dict) and b.get("type") == "text"]
        nontext = [b for b in bl if isinstance(b, dict) and b.get("type") != "text"]
        any_solid = any(isinstance(b.get("text"), str) and b["text"].strip(WS) for b in texts)
        uses, results, other_seen = [], [], False
        for j, b in enumerate(bl):
            if not isinstance(b, dict) or not isinstance(b.get("type"), str):
                e("BLOCK", i, "block %d is not an object with a type" % j)
                continue
            t = b["type"]
            if t not in (USER_BLOCKS if role == "user" else ASSISTANT_BLOCKS):
                e("BLOCK", i, "block type %r in a %s message" % (t, role))
            if t == "text":
                if not isinstance(b.get("text"), str):
                    e("BLOCK", i, "text block without text")
                elif b["text"] == "":
                    if content != "":
                        e("EMPTY", i, "empty text block")
                elif not b["text"].strip(WS):
                    if mode == "strict" or not (any_solid or nontext):
                        e("EMPTY", i, "whitespace-only text")
            elif t == "tool_use":
                if not isinstance(b.get("id"), str) or not ID_RE.match(b["id"]):
                    e("BLOCK", i, "tool_use id %r" % (b.get("id"),))
                if not isinstance(b.get("name"), str) or not NAME_RE.match(b["name"]):
                    e("BLOCK", i, "tool_use name %r" % (b.get("name"),))
                if not isinstance(b.get("input"), dict):
                    e("BLOCK", i, "tool_use input is not an object")
                if b.get("id") in seen_ids:
                    e("DUPUSE", i, "tool_use id %r already used in message %d" % (b.get("id"), seen_ids[b["id"]]))
                else:
                    seen_ids[b.get("id")] = i
                uses.append(b.get("id"))
            elif t == "tool_result":
                if not isinstance(b.get("tool_use_id"), str) or not b["tool_use_id"]:
                    e("BLOCK", i, "tool_result without tool_use_id")
                c = b.get("content", "")
                if isinstance(c, list):
                    for k in c:
                        if not isinstance(k, dict) or k.get("type") not in ("text", "image", "document", "search_result"):
                            e("BLOCK", i, "tool_result content block %r" % (k,))
                        elif k.get("type") == "text" and not k.get("text"):
                            e("EMPTY", i, "empty text block in tool_result")
                elif not isinstance(c, str):
                    e("BLOCK", i, "tool_result content is %s" % type(c).__name__)
                if "is_error" in b and not isinstance(b["is_error"], bool):
                    e("BLOCK", i, "is_error is not a boolean")
                if other_seen:
                    e("ORDER", i, "tool_result after another block")
                results.append(b.get("tool_use_id"))
            if t != "tool_result":
                other_seen = True
        if role == "assistant" and uses:
            if last:
                if not allow_trailing_tool_use:
                    e("UNANSWERED", i, "trailing tool_use %s" % uses)
            else:
                nxt = messages[i + 1]
                got = []
                if nxt["role"] == "user" and isinstance(nxt["content"], list):
                    got = [b.get("tool_use_id") for b in nxt["content"]
                           if isinstance(b, dict) and b.get("type") == "tool_result"]
                miss = [u for u in uses if u not in got]
                if miss:
                    e("UNANSWERED", i, "no tool_result in the next message for %s" % miss)
        if role == "user" and results:
            prev_uses = []
            if i and messages[i - 1]["role"] == "assistant" and isinstance(messages[i - 1]["content"], list):
                prev_uses = [b.get("id") for b in messages[i - 1]["content"]
                             if isinstance(b, dict) and b.get("type") == "tool_use"]
            for r in results:
                if r not in prev_uses:
                    e("ORPHAN", i, "tool_result %r has no tool_use in the previous message" % (r,))
            for r in sorted({str(r) for r in results if results.count(r) > 1}):
                e("DUPRES", i, "several tool_result blocks for %r" % r)
        if last and role == "assistant" and not uses:
            if not allow_prefill:
                e("LASTTEXT", i, "last message is assistant (prefill)")
            elif bl and isinstance(bl[-1], dict) and bl[-1].get("type") == "text" \
                    and isinstance(bl[-1].get("text"), str) and bl[-1]["text"] != bl[-1]["text"].rstrip():
                e("LASTTEXT", i, "final assistant text ends in whitespace")
    return errs


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--mode", choices=["strict", "api"], default="strict")
    ap.add_argument("--allow-trailing-tool-use", action="store_true")
    ap.add_argument("--allow-prefill", action="store_true",
                    help="a history may end with assistant (the next user message is yet to be appended)")
    ap.add_argument("--json", action="store_true")
    ap.add_argument("files", nargs="+")
    a = ap.parse_args()
    bad = 0
    report = {}
    for f in a.files:
        try:
            data = json.load(sys.stdin if f == "-" else open(f, encoding="utf-8"))
        except Exception as ex:
            print("%s: unreadable: %s" % (f, ex), file=sys.stderr)
            return 2
        if isinstance(data, dict):
            data = data.get("messages")
        errs = check(data, a.mode, a.allow_trailing_tool_use, a.allow_prefill)
        report[f] = [{"code": c, "index": i, "text": t} for c, i, t in errs]
        if errs:
            bad += 1
        if not a.json:
            print("%s: %s" % (f, "ok" if not errs else "INVALID"))
            for c, i, t in errs:
                print("  [%d] %s: %s" % (i, c, t))
    if a.json:
        print(json.dumps(report, indent=1, ensure_ascii=False))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
