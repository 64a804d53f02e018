# SPDX-License-Identifier: MIT
"""Independent readers of two formats, written from the formats' own documents. Each returns the
conversation as a list of ("user" | "assistant", [block]), a block being ("text", text), ("call", id, name, input),
("result", id, text), ("image", media type) or ("thinking", text)."""
import datetime
import json


def lines_of(path):
    """A line ends in LF; one that is not an object is skipped, as the programs do."""
    for line in path.read_bytes().split(b"\n"):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry


def plain(content):
    if isinstance(content, str):
        return content
    return "".join(block["text"] for block in content if block["type"] == "text")


def blocks_of(content):
    """Content as the Anthropic API documents it."""
    if isinstance(content, str):
        return [("text", content)]
    kinds = {"text": lambda b: ("text", b["text"]),
             "image": lambda b: ("image", b["source"]["media_type"]),
             "thinking": lambda b: ("thinking", b["thinking"]),
             "redacted_thinking": lambda b: ("thinking", ""),
             "tool_use": lambda b: ("call", b["id"], b["name"], b["input"]),
             "tool_result": lambda b: ("result", b["tool_use_id"], plain(b["content"]))}
    return [kinds[block["type"]](block) for block in content]


def read_flat(path):
    """claw0, docs/zh/s03_sessions.md: one line a block, `ts` an ISO time."""
    entries = list(lines_of(path))
    assert entries[0]["type"] == "session" and entries[0]["id"]
    said = []
    for entry in entries[1:]:
        datetime.datetime.fromisoformat(entry["ts"].replace("Z", "+00:00"))
        kind = entry["type"]
        if kind in ("user", "assistant"):
            said.append((kind, blocks_of(entry["content"])))
        elif kind == "tool_use":
            said.append(("assistant", [("call", entry["tool_use_id"], entry["name"], entry["input"])]))
        elif kind == "tool_result":
            said.append(("user", [("result", entry["tool_use_id"], plain(entry["output"]))]))
    return entries[0], said


def read_panel(path):
    """ai-panel, docs/session-design.md: messages after the last compaction count, its summary replaces the rest."""
    entries = list(lines_of(path))
    header = entries[0]
    assert header["type"] == "session" and header["version"] == 3 and isinstance(header["createdAt"], int)
    summary, said = "", []
    for entry in entries[1:]:
        assert isinstance(entry["timestamp"], int)
        if entry["type"] == "compaction":
            assert isinstance(entry["firstKeptEntryId"], str) and isinstance(entry["tokensBefore"], int)
            summary, said = entry["summary"], []
        elif entry["type"] == "message" and entry["message"]["role"] in ("user", "assistant"):
            said.append((entry["message"]["role"], blocks_of(entry["message"]["content"])))
    return header, summary, said


def read_panel_index(root):
    """ai-panel, docs/session-design.md: `sessions` maps ids to rows of these members, times in milliseconds."""
    rows = json.loads((root / "sessions.json").read_text())["sessions"]
    for name, row in rows.items():
        assert row["id"] == name
        for member, kind in (("agentId", str), ("filePath", str), ("title", str), ("messageCount", int),
                             ("createdAt", int), ("lastAt", int), ("tokenEstimate", int)):
            assert isinstance(row[member], kind), (name, member)
        assert "/" not in row["filePath"] and (root / row["filePath"]).is_file()
    return rows


def read_claw_index(root):
    """claw0, docs/zh/s03_sessions.md: keys map to the session that answers; its transcript is in a folder beside."""
    rows = json.loads((root / "sessions.json").read_text())
    for key, row in rows.items():
        assert row["session_key"] == key and isinstance(row["message_count"], int)
        for member in ("created_at", "updated_at"):
            datetime.datetime.fromisoformat(row[member].replace("Z", "+00:00"))
        # create_session: f"{session_key.replace(':', '_')}_{session_id}.jsonl"
        stem, end = key.replace(":", "_"), f"_{row['session_id']}"
        assert row["transcript_file"] == (stem if stem.endswith(end) else stem + end) + ".jsonl"  # claw0 reads the named file
        assert (root / "transcripts" / row["transcript_file"]).is_file()
    return rows


def read_pi(path, leaf=None):
    """pi's session file, docs/session.md, the path to the last entry, the source of the conversions."""
    entries = [e for e in lines_of(path) if e["type"] != "session"]
    by_id = {e["id"]: e for e in entries}
    entry, way = by_id[leaf] if leaf else entries[-1], []
    while entry:
        way.append(entry)
        entry = by_id.get(entry["parentId"])
    said = []
    for entry in reversed(way):
        message = entry.get("message", {})
        if message.get("role") == "toolResult":
            said.append(("user", [("result", message["toolCallId"], plain(message["content"]))]))
        elif message.get("role") in ("user", "assistant"):
            content = message["content"]
            if isinstance(content, str):
                said.append((message["role"], [("text", content)]))
                continue
            kinds = {"text": lambda b: ("text", b["text"]),
                     "image": lambda b: ("image", b["mimeType"]),
                     "thinking": lambda b: ("thinking", b["thinking"]) if b.get("thinkingSignature") else None,
                     "toolCall": lambda b: ("call", b["id"], b["name"], b["arguments"])}
            said.append((message["role"], [made for made in (kinds[b["type"]](b) for b in content) if made]))
    return said


def words(said, leave_out=()):
    """Blocks one by one, for formats that split messages."""
    return [(role, block) for role, blocks in said for block in blocks if block[0] not in leave_out]
