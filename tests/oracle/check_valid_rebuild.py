#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Property oracle for the API-VALID rebuild of an s03 transcript (there is no single right answer, so
properties are checked, not one golden).

usage: check_valid_rebuild.py TRANSCRIPT.jsonl MESSAGES.json [...pairs]
       check_valid_rebuild.py --suite FIXTURE_DIR OUT_DIR     (OUT_DIR/<case>.json = candidate output)

P1 check_anthropic strict passes for messages (+ a user probe when it ends with assistant). Empty array is
   fine if the transcript has no messages.
P2 every non-blank string text of a user entry appears in the user-role text, in order; same for assistant.
   Trailing/leading whitespace of a text may be trimmed. Lines end at LF only (U+2028, U+0085 are text).
P3 every well-formed tool_use (non-empty id, name, object input; first occurrence of the id) appears exactly
   once, with equal name and input.
P4 a tool_result line whose tool_use_id has a well-formed tool_use anywhere in the file appears as that call's
   tool_result with its output (string outputs must be equal; any one of several when duplicated).
   A result without such a tool_use never appears as a tool_result block.
P5 a call without a result line is answered by a synthetic tool_result: is_error true, non-empty content.
P6 nothing invented: text not coming from the transcript is only a bracketed marker "[...]" block.
Undecodable lines are skipped (one line lost, not the file).
"""
import json, re, sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_anthropic as ca

WS = ca.WS


def entries(path):
    raw = Path(path).read_bytes()
    if raw.startswith(b"\xef\xbb\xbf"):
        raw = raw[3:]
    for line in raw.split(b"\n"):
        try:
            e = json.loads(line.strip(b" \t\r").decode("utf-8"))
        except ValueError:
            continue
        if isinstance(e, dict):
            yield e


def wellformed_use(e):
    return (isinstance(e.get("tool_use_id"), str) and ca.ID_RE.match(e["tool_use_id"])
            and isinstance(e.get("name"), str) and ca.NAME_RE.match(e["name"])
            and isinstance(e.get("input", {}), dict))


def plain(c):
    """Content of a tool_result: a string, or text blocks joined."""
    if isinstance(c, list) and all(isinstance(b, dict) and b.get("type") == "text" for b in c):
        return "".join(b.get("text", "") for b in c)
    return c


def check(transcript, messages):
    errs = []
    texts = {"user": [], "assistant": []}
    uses, results, again = {}, {}, []
    for e in entries(transcript):
        t = e.get("type")
        if t in texts:
            c = e.get("content", "")
            if isinstance(c, list):
                for b in c:
                    if isinstance(b, dict) and b.get("type") == "text" and isinstance(b.get("text"), str) and b["text"].strip(WS):
                        texts[t].append(b["text"])
            elif isinstance(c, str) and c.strip(WS):
                texts[t].append(c)
        elif t == "tool_use" and wellformed_use(e):
            if uses.setdefault(e["tool_use_id"], e) is not e:
                again.append((e["name"], e.get("input", {})))
        elif t == "tool_result" and isinstance(e.get("tool_use_id"), str):
            results.setdefault(e["tool_use_id"], []).append(e.get("output", ""))
    if not messages:
        if texts["user"] or texts["assistant"] or uses:
            errs.append("P1 empty rebuild of a transcript with content")
        return errs
    probe = list(messages)
    if probe[-1].get("role") == "assistant":
        probe.append({"role": "user", "content": "next"})
    for c, i, t in ca.check(probe, "strict"):
        errs.append("P1 [%d] %s: %s" % (i, c, t))
    got = {"user": [], "assistant": []}
    gu, gr = {}, {}
    for m in messages:
        for b in ca.blocks_of(m.get("content", [])):
            if b.get("type") == "text":
                got[m["role"]].append(b["text"])
            elif b.get("type") == "tool_use":
                gu.setdefault(b["id"], []).append(b)
            elif b.get("type") == "tool_result":
                gr.setdefault(b["tool_use_id"], []).append(b)
    for role in texts:
        joined = "\n\n".join(got[role])
        pos = 0
        spans = []
        for want in texts[role]:
            at = joined.find(want, pos)
            n = len(want)
            if at < 0:
                w = want.strip(WS)
                at, n = joined.find(w, pos), len(w)
            if at < 0:
                errs.append("P2 %s text lost or out of order: %r" % (role, want[:60]))
                continue
            spans.append((at, at + n))
            pos = at + n
        left, p = [], 0
        for a, b in spans:
            left.append(joined[p:a])
            p = b
        left.append(joined[p:])
        for piece in re.split(r"\n\n", "\n\n".join(left)):
            piece = piece.strip(WS)
            if piece and not (piece.startswith("[") and piece.endswith("]")):
                errs.append("P6 invented %s text: %r" % (role, piece[:80]))
    for i, u in uses.items():
        g = gu.get(i, [])
        if len(g) != 1:
            errs.append("P3 tool_use %s appears %d times" % (i, len(g)))
            continue
        if g[0]["name"] != u["name"] or g[0]["input"] != u.get("input", {}):
            errs.append("P3 tool_use %s changed" % i)
        r = gr.get(i, [])
        if len(r) != 1:
            continue                                       # P1 has reported it
        if i in results:
            want = results[i]
            if any(isinstance(w, str) for w in want) and plain(r[0].get("content", "")) not in want:
                errs.append("P4 tool_result of %s changed" % i)
        elif not (r[0].get("is_error") is True and r[0].get("content")):
            errs.append("P5 unanswered %s has no synthetic is_error result" % i)
    for i in gu:
        if i not in uses and (gu[i][0]["name"], gu[i][0]["input"]) not in again:
            errs.append("P6 invented tool_use %s" % i)      # a reused id may have been renamed
    return errs


def main():
    a = sys.argv[1:]
    if a and a[0] == "--suite":
        fx, out = Path(a[1]), Path(a[2])
        pairs = [(d / "transcript.jsonl", out / (d.name + ".json")) for d in sorted(fx.iterdir()) if d.is_dir()]
    else:
        pairs = [(a[i], a[i + 1]) for i in range(0, len(a), 2)]
    bad = 0
    for t, m in pairs:
        try:
            errs = check(t, json.load(open(m, encoding="utf-8")))
        except Exception as ex:
            errs = ["unreadable: %r" % ex]
        if errs:
            bad += 1
            print("%s: FAIL" % m)
            for e in errs:
                print("  " + e)
    print("%d pairs, %d failed" % (len(pairs), bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
