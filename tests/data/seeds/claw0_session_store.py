"""claw0's SessionStore, from its docs/zh/s03_sessions.md (shareAI-lab/claw0). The bodies of __init__, create_session,
append_transcript, save_turn and _rebuild_history are the document's; `_load_index` and `_save_index`, which the document
names and does not show, and the branches `tool_use` and `tool_result` of save_turn are filled in by what it says of them."""
import json
import uuid
from datetime import datetime, timezone
from pathlib import Path

SESSIONS_INDEX = Path("sessions.json")
TRANSCRIPTS_DIR = Path("transcripts")


class SessionStore:
    def __init__(
        self,
        store_path: Path | None = None,
        transcript_dir: Path | None = None,
    ):
        self.store_path = store_path or SESSIONS_INDEX
        self.transcript_dir = transcript_dir or TRANSCRIPTS_DIR

        self.store_path.parent.mkdir(parents=True, exist_ok=True)
        self.transcript_dir.mkdir(parents=True, exist_ok=True)

        self._index: dict[str, dict] = self._load_index()

    def _load_index(self) -> dict[str, dict]:
        if not self.store_path.exists():
            return {}
        return json.loads(self.store_path.read_text(encoding="utf-8"))

    def _save_index(self) -> None:
        self.store_path.write_text(json.dumps(self._index, ensure_ascii=False, indent=2), encoding="utf-8")

    def create_session(self, session_key: str) -> dict:
        session_id = uuid.uuid4().hex[:12]
        now = datetime.now(timezone.utc).isoformat()
        transcript_file = f"{session_key.replace(':', '_')}_{session_id}.jsonl"

        metadata = {
            "session_key": session_key,
            "session_id": session_id,
            "created_at": now,
            "updated_at": now,
            "message_count": 0,
            "transcript_file": transcript_file,
        }

        self._index[session_key] = metadata
        self._save_index()

        self.append_transcript(session_key, {
            "type": "session",
            "id": session_id,
            "key": session_key,
            "created": now,
        })
        return metadata

    def append_transcript(self, session_key: str, entry: dict) -> None:
        metadata = self._index.get(session_key)
        if not metadata:
            return
        filepath = self.transcript_dir / metadata["transcript_file"]
        line = json.dumps(entry, ensure_ascii=False)
        with open(filepath, "a", encoding="utf-8") as f:
            f.write(line + "\n")

    def save_turn(self, session_key: str, user_msg: str, assistant_blocks: list) -> None:
        now = datetime.now(timezone.utc).isoformat()

        self.append_transcript(session_key, {
            "type": "user",
            "content": user_msg,
            "ts": now,
        })

        for block in assistant_blocks:
            block_type = block.type if hasattr(block, "type") else block.get("type", "unknown")
            if block_type == "text":
                text_content = block.text if hasattr(block, "text") else block.get("text", "")
                self.append_transcript(session_key, {
                    "type": "assistant",
                    "content": text_content,
                    "ts": now,
                })
            elif block_type == "tool_use":
                self.append_transcript(session_key, {
                    "type": "tool_use",
                    "name": block["name"],
                    "tool_use_id": block["id"],
                    "input": block["input"],
                    "ts": now,
                })
            elif block_type == "tool_result":
                self.append_transcript(session_key, {
                    "type": "tool_result",
                    "tool_use_id": block["tool_use_id"],
                    "output": block["content"],
                    "ts": now,
                })

        metadata = self._index.get(session_key)
        if metadata:
            metadata["updated_at"] = now
            metadata["message_count"] += 1
            self._save_index()

    def _rebuild_history(self, transcript_file: str) -> list[dict]:
        filepath = self.transcript_dir / transcript_file
        if not filepath.exists():
            return []

        messages: list[dict] = []
        pending_tool_uses: list[dict] = []

        for line in filepath.read_text(encoding="utf-8").strip().splitlines():
            entry = json.loads(line)
            entry_type = entry.get("type")

            if entry_type == "session":
                continue

            if entry_type == "user":
                if pending_tool_uses:
                    messages.append({"role": "assistant", "content": pending_tool_uses})
                    pending_tool_uses = []
                messages.append({"role": "user", "content": entry.get("content", "")})

            elif entry_type == "assistant":
                if pending_tool_uses:
                    messages.append({"role": "assistant", "content": pending_tool_uses})
                    pending_tool_uses = []
                messages.append({"role": "assistant", "content": entry.get("content", "")})

            elif entry_type == "tool_use":
                pending_tool_uses.append({
                    "type": "tool_use",
                    "id": entry.get("tool_use_id", ""),
                    "name": entry.get("name", ""),
                    "input": entry.get("input", {}),
                })

            elif entry_type == "tool_result":
                if pending_tool_uses:
                    messages.append({"role": "assistant", "content": pending_tool_uses})
                    pending_tool_uses = []
                messages.append({
                    "role": "user",
                    "content": [{
                        "type": "tool_result",
                        "tool_use_id": entry.get("tool_use_id", ""),
                        "content": entry.get("output", ""),
                    }],
                })

        if pending_tool_uses:
            messages.append({"role": "assistant", "content": pending_tool_uses})

        return messages
