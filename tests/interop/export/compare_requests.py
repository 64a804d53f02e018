# SPDX-License-Identifier: MIT
"""Compares what a program sends with our history and the prompt, both in one form. Each program has its own comparison, which
reports what the program adds or changes by itself."""
import json
import re

from real_programs import CLAUDE_MODEL, PROMPT

REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.S)

# What a program adds or changes by itself: a name, and the reason. Each is counted.
KNOWN = {
    "reminders": "Claude Code puts reminders of its own between the messages and into results",
    "answer to an unanswered turn": "Claude Code answers a turn that got no answer before it goes on",
    "context of the session": "Codex adds its permissions and the environment",
    "item ids": "Codex sends no ids, marks or statuses of items",
    "bad image": "Codex replaces an image that it cannot read by a text",
    "quotes around the prompt": "opencode's `run` puts quotes around words",
    "blank text": "the program sends no blank texts, or a blank in place of an empty one",
    "large numbers": "Claude Code and opencode round numbers above 2^53, as JavaScript does",
    "reasoning of another model": "Claude Code sends reasoning to the model only that made it; pi sends it as text",
    "text for a missing result": "pi says \"No result provided\"",
    "answers that were cut short": "pi does not send answers that were aborted",
    "spaces at the ends": "the program trims texts",
    "order of results": "pi sends results in the order of the file, and its own last",
    "text beside an image": "pi adds a text to a result that has only images",
    "calls of several answers": "pi answers the calls of each answer before it sends the next one",
}


def as_list(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])


def without_reminders(text, used):
    kept = REMINDER.sub("", text)
    if kept != text:
        used.add("reminders")
    return kept


def block_of(block, used):
    block = {key: value for key, value in block.items() if key != "cache_control"}
    if block["type"] == "text":
        text = without_reminders(block["text"], used)
        return {"type": "text", "text": text} if text or not block["text"] else None
    if block["type"] == "tool_result":
        pieces = [block_of(piece, used) for piece in as_list(block.get("content"))]
        return {"type": "tool_result", "tool_use_id": block["tool_use_id"], "is_error": bool(block.get("is_error")),
                "content": [piece for piece in pieces if piece]}
    return block


def merged(messages):
    out = []
    for role, blocks in messages:
        if not blocks:
            continue
        if out and out[-1][0] == role:
            out[-1] = (role, out[-1][1] + blocks)
        else:
            out.append((role, blocks))
    return out


def anthropic_form(messages, used):
    out = []
    for message in messages:
        if message["role"] == "system":
            used.add("reminders")
            continue
        blocks = [block_of(block, used) for block in as_list(message["content"])]
        out.append((message["role"], [block for block in blocks if block]))
    return merged(out)


OWN_ANSWERS = ("No response requested.", "Continue from where you left off.")


def without_own_answers(messages, ours, used):
    known = json.dumps(ours)
    own = [text for text in OWN_ANSWERS if json.dumps(text) not in known]
    out = []
    for role, blocks in messages:
        kept = [block for block in blocks if block.get("text") not in own]
        if len(kept) != len(blocks):
            used.add("answer to an unanswered turn")
        out.append((role, kept))
    return merged(out)


def trimmed(messages, used):
    out = []
    for role, blocks in messages:
        made = []
        for block in blocks:
            if block.get("type") == "text" and block["text"].strip() != block["text"]:
                used.add("spaces at the ends")
                block = dict(block, text=block["text"].strip())
            if block.get("type") == "text" and not block["text"]:
                used.add("blank text")
                continue
            if block.get("type") == "tool_result":
                pieces = [dict(piece, text=piece["text"].strip()) if piece.get("type") == "text" else piece
                          for piece in block["content"]]
                if pieces != block["content"]:
                    used.add("spaces at the ends")
                block = dict(block, content=[piece for piece in pieces if piece.get("text") != ""])
            made.append(block)
        out.append((role, made))
    return merged(out)


def rounded(value, used):
    """Numbers as JavaScript reads them."""
    if isinstance(value, dict):
        return {key: rounded(each, used) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(rounded(each, used) for each in value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2 ** 53:
        used.add("large numbers")
        return float(value)
    return value


def without_reasoning(messages):
    return merged([(role, [block for block in blocks if "thinking" not in block["type"]]) for role, blocks in messages])


def joined_results(messages):
    out = []
    for role, blocks in messages:
        made = []
        for block in blocks:
            if block["type"] == "tool_result":
                texts = [piece["text"] for piece in block["content"] if piece["type"] == "text"]
                rest = [piece for piece in block["content"] if piece["type"] != "text"]
                block = dict(block, content=([{"type": "text", "text": "\n".join(texts)}] if texts else []) + rest)
            made.append(block)
        out.append((role, made))
    return out


def compare_claude(ours, sent, session_lines):
    used, ignored = set(), set()
    ours = ours + [{"role": "user", "content": PROMPT}]
    mine, theirs = anthropic_form(ours, ignored), anthropic_form(sent, used)
    if mine != theirs:
        theirs = without_own_answers(theirs, ours, used)
    if mine != theirs:
        mine, theirs = trimmed(mine, used), trimmed(theirs, used)
    if mine != theirs:
        mine, theirs = rounded(mine, used), rounded(theirs, used)
    other_model = [line for line in session_lines if line.get("type") == "assistant"
                   and "thinking" in line["message"]["content"][0]["type"] and line["message"]["model"] != CLAUDE_MODEL]
    if mine != theirs and other_model:
        used.add("reasoning of another model")
        mine, theirs = without_reasoning(mine), without_reasoning(theirs)
    return mine, theirs, used


def compare_opencode(ours, sent, _):
    used, ignored = set(), set()
    ours = ours + [{"role": "user", "content": PROMPT}]
    mine, theirs = joined_results(anthropic_form(ours, ignored)), joined_results(anthropic_form(sent, used))
    quoted = json.dumps(PROMPT)
    for role, blocks in theirs:
        for block in blocks:
            if block.get("text") == quoted:
                used.add("quotes around the prompt")
                block["text"] = PROMPT
    if mine != theirs:
        mine, theirs = trimmed(mine, used), trimmed(theirs, used)
    if mine != theirs:
        mine, theirs = rounded(mine, used), rounded(theirs, used)
    return mine, theirs, used


OUR_MISSING_RESULT, PIS_MISSING_RESULT = "[tool result missing: interrupted]", "No result provided"


def texts_of_entries(lines, kind, wanted):
    """The texts of blocks of this kind in the answers for which `wanted` is true."""
    answers = [line["message"] for line in lines if line.get("message", {}).get("role") == "assistant"]
    return {block[kind].strip() for message in answers if wanted(message) for block in message["content"]
            if block["type"] == kind and block[kind].strip()}


def without_texts(messages, texts):
    return merged([(role, [block for block in blocks if role == "user" or block.get("text", "").strip() not in texts])
                   for role, blocks in messages])


def with_pis_missing_results(messages):
    return json.loads(json.dumps(messages).replace(json.dumps(OUR_MISSING_RESULT), json.dumps(PIS_MISSING_RESULT)))


SEE_IMAGE = {"type": "text", "text": "(see attached image)"}


def without_image_texts(messages, used):
    out = json.loads(json.dumps(messages))
    for _, blocks in out:
        for block in blocks:
            if block["type"] == "tool_result" and len(block["content"]) > 1 and SEE_IMAGE in block["content"]:
                used.add("text beside an image")
                block["content"].remove(SEE_IMAGE)
    return out


def with_results_sorted(messages):
    """Within a message; texts stay in their places, after the results."""
    return [[role, sorted(blocks, key=lambda block: ("0" + block["tool_use_id"]) if block["type"] == "tool_result" else "1")]
            for role, blocks in messages]


def is_missing_results(message):
    role, blocks = message
    return role == "user" and all(block["type"] == "tool_result" and PIS_MISSING_RESULT in json.dumps(block["content"])
                                  for block in blocks)


def with_calls_joined(mine, theirs, used):
    """Theirs, with two answers as one, as we send them, where pi has put results of its own between them."""
    out, i = [], 0
    while i < len(theirs):
        if len(out) < len(mine) and theirs[i] != mine[len(out)] and i + 3 < len(theirs) \
                and theirs[i][0] == "assistant" and is_missing_results(theirs[i + 1]):
            used.add("calls of several answers")
            joined = [[theirs[at][0], theirs[at][1] + theirs[at + 2][1]] for at in (i, i + 1)]
            theirs = theirs[:i] + joined + theirs[i + 4:]
            continue
        out.append(theirs[i])
        i += 1
    return out


def compare_pi(ours, sent, session_lines):
    used, ignored = set(), set()
    ours = ours + [{"role": "user", "content": PROMPT}]
    mine, theirs = joined_results(anthropic_form(ours, ignored)), joined_results(anthropic_form(sent, used))
    mine, theirs = [list(one) for one in mine], [list(one) for one in theirs]
    if mine != theirs and OUR_MISSING_RESULT in json.dumps(mine):
        used.add("text for a missing result")
        mine = with_pis_missing_results(mine)
    cut = texts_of_entries(session_lines, "text", lambda message: message.get("stopReason") == "aborted")
    if mine != theirs and cut:
        used.add("answers that were cut short")
        mine = [list(one) for one in without_texts(mine, cut)]
    thought = texts_of_entries(session_lines, "thinking", lambda message: message.get("model") != CLAUDE_MODEL)
    if mine != theirs and thought:
        used.add("reasoning of another model")
        mine = [list(one) for one in without_reasoning(mine)]
        theirs = [list(one) for one in without_texts(theirs, thought)]
    if mine != theirs:
        theirs = without_image_texts(theirs, used)
    if mine != theirs:
        theirs = with_calls_joined(mine, theirs, used)
    if mine != theirs and with_results_sorted(theirs) != theirs:
        used.add("order of results")
        mine, theirs = with_results_sorted(mine), with_results_sorted(theirs)
    if mine != theirs:
        mine, theirs = trimmed(mine, used), trimmed(theirs, used)
    if mine != theirs:
        mine, theirs = rounded(mine, used), rounded(theirs, used)
    return mine, theirs, used


CONTEXT = ("<environment_context>", "# AGENTS.md", "<user_instructions>", "<permissions instructions>",
           "<skills_instructions>", "<collaboration_mode>")


def item_of(item, used):
    item = dict(item)
    item.setdefault("type", "message")
    for name in ("id", "status", "annotations", "internal_chat_message_metadata_passthrough", "metadata"):
        if item.pop(name, None) is not None:
            used.add("item ids")
    if item["type"] == "message":
        item["content"] = [{key: value for key, value in piece.items() if key not in ("annotations", "detail")}
                           for piece in as_list(item["content"])]
        for piece in item["content"]:
            if piece["type"] == "text":
                piece["type"] = "input_text"
    if item["type"] == "reasoning" and item.get("content") is None:
        item.pop("content", None)
    if item["type"] == "function_call_output" and isinstance(item["output"], list):
        item["output"] = [{key: value for key, value in piece.items() if key != "detail"} for piece in item["output"]]
    return item


def responses_form(items, used):
    out = []
    for item in items:
        item = item_of(item, used)
        texts = [piece.get("text", "") for piece in item["content"]] if item["type"] == "message" else []
        if item.get("role") == "developer" or (item.get("role") == "user" and texts
                                               and texts[0].startswith(CONTEXT)):
            used.add("context of the session")
            continue
        if item["type"] == "message" and out and out[-1]["type"] == "message" and out[-1]["role"] == item["role"] \
                and out[-1].get("phase") == item.get("phase"):
            out[-1]["content"] = out[-1]["content"] + item["content"]
        else:
            out.append(item)
    return out


BAD_IMAGE = {"type": "input_text", "text": "image content omitted because it could not be processed"}


def with_bad_images(ours, sent, used):
    """Our items, with the text for an image in the places where Codex sent it."""
    out = []
    for i, item in enumerate(ours):
        name = "content" if item["type"] == "message" else "output"
        there = sent[i].get(name) if i < len(sent) else None
        if isinstance(item.get(name), list) and isinstance(there, list) and len(there) == len(item[name]):
            pieces = [BAD_IMAGE if mine["type"] == "input_image" and other == BAD_IMAGE else mine
                      for mine, other in zip(item[name], there)]
            if pieces != item[name]:
                used.add("bad image")
            item = dict(item, **{name: pieces})
        out.append(item)
    return out


def compare_codex(ours, sent, _):
    used, ignored = set(), set()
    prompt = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": PROMPT}]}
    mine, theirs = responses_form(ours + [prompt], ignored), responses_form(sent, used)
    return with_bad_images(mine, theirs, used), theirs, used


COMPARE = {"claude-code": compare_claude, "codex": compare_codex, "opencode": compare_opencode, "pi": compare_pi}
