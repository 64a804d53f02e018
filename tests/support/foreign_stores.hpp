// SPDX-License-Identifier: MIT
// Directories of ai-panel and claw0, made by hand from their documents.
#pragma once
#include "support/data.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <system_error>

namespace sessionkit_test {

inline constexpr char const* panel_id = "ses-1708300000000";
inline constexpr char const* panel_other = "ses-1708300000777";
inline constexpr char const* claw_id = "0123456789ab";
inline constexpr char const* claw_other = "ba9876543210";
inline constexpr char const* claw_file = "main_cli_user_0123456789ab.jsonl";

inline std::string panel_lines(std::string const& said) {
  return R"({"type":"session","version":3,"agentId":"python-reviewer","createdAt":1708300000000})"
         "\n"
         R"({"type":"message","message":{"role":"user","content":")"
         + said
         + R"("},"timestamp":1708300001000})"
           "\n";
}

/// Two sessions, a row whose name cannot be a file's, and members that are not in the document.
inline void make_panel_store(TempDir const& dir) {
  write_file(
      dir / panel_id + ".jsonl",
      panel_lines("你好，介绍一下自己")
          + R"({"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"我是..."}]},"timestamp":1708300002000})"
            "\n"
            R"({"type":"message","message":{"role":"user","content":"and?"},"timestamp":1708300003000})"
            "\n");
  write_file(dir / panel_other + ".jsonl", panel_lines("other"));
  write_file(dir / "sessions.json", R"({
  "sessions": {
    "ses-1708300000000": {
      "id": "ses-1708300000000", "agentId": "python-reviewer", "filePath": "ses-1708300000000.jsonl",
      "title": "分析 payment.py 的并发问题", "messageCount": 12, "createdAt": 1708300000000,
      "lastAt": 1708301234567, "tokenEstimate": 45000, "active": true, "source": {"web": [1, 2]}
    },
    "ses-1708300000777": {
      "id": "ses-1708300000777", "agentId": "python-reviewer", "filePath": "ses-1708300000777.jsonl",
      "title": "other", "messageCount": 1, "createdAt": 1708300000777, "lastAt": 1708300001000, "tokenEstimate": 9
    },
    "sub/agent:1": {"id": "sub/agent:1", "title": "of no file"}
  },
  "theirs": 12345678901234567890
})");
}

/// ai-panel reads the index into structures of these members and writes them back: others are lost.
inline nlohmann::json panel_rewrite(nlohmann::json const& index) {
  nlohmann::json out = {{"sessions", nlohmann::json::object()}};
  for (auto const& [id, row] : index["sessions"].items())
    for (char const* name :
         {"id", "agentId", "filePath", "title", "messageCount", "createdAt", "lastAt", "tokenEstimate"})
      if (row.contains(name)) out["sessions"][id][name] = row[name];
  return out;
}

inline std::string claw_header(std::string const& key, std::string const& id) {
  return R"({"type": "session", "id": ")" + id + R"(", "key": ")" + key
         + R"(", "created": "2026-02-24T10:00:00.123456+00:00"})";
}
inline std::string claw_lines(std::string const& key, std::string const& id, std::string const& said) {
  return claw_header(key, id) + "\n" + R"({"type": "user", "content": ")" + said
         + R"(", "ts": "2026-02-24T10:00:01.000000+00:00"})"
           "\n"
           R"({"type": "assistant", "content": "hello", "ts": "2026-02-24T10:00:01.000000+00:00"})"
           "\n";
}

/// Two sessions, and a row that names no file.
inline void make_claw_store(TempDir const& dir) {
  std::error_code failed;
  std::filesystem::create_directory(dir / "transcripts", failed);
  std::filesystem::permissions(dir / "transcripts", std::filesystem::perms::owner_all, failed);
  if (failed) give_up("cannot make transcripts");
  write_file(dir / "transcripts/" + claw_file, claw_lines("main:cli:user", claw_id, "hi"));
  write_file(dir / "transcripts/main_telegram_7_" + std::string(claw_other) + ".jsonl",
             claw_lines("main:telegram:7", claw_other, "hallo"));
  write_file(dir / "sessions.json", R"({
  "main:cli:user": {
    "session_key": "main:cli:user",
    "session_id": "0123456789ab",
    "created_at": "2026-02-24T10:00:00.123456+00:00",
    "updated_at": "2026-02-24T10:00:01.000000+00:00",
    "message_count": 1,
    "transcript_file": "main_cli_user_0123456789ab.jsonl",
    "theirs": true
  },
  "main:telegram:7": {
    "session_key": "main:telegram:7",
    "session_id": "ba9876543210",
    "created_at": "2026-02-24T10:00:00.123456+00:00",
    "updated_at": "2026-02-24T10:00:01.000000+00:00",
    "message_count": 1,
    "transcript_file": "main_telegram_7_ba9876543210.jsonl"
  },
  "broken": {"session_key": "broken", "session_id": "x", "transcript_file": "../../etc/passwd"}
})");
}

}
