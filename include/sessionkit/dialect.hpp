// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/record.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// How one program writes entries as lines: a table of pure functions. Constants of this type are the
/// dialects.
struct Dialect {
  std::string_view name;

  /// True if this line is in this dialect and in no other: an entry, or a header. Of a log the first whole
  /// line that is recognised decides, unless it is a header that several programs could have written.
  bool (*detect)(std::string_view line) noexcept;

  /// Reads id, type and parent of a line; stops as soon as they are known, so a true answer does not prove
  /// the line complete. Views point into `line`, or into `unescaped` where the text had escapes (which it
  /// empties first). A line without an id leaves `id` empty. False: no JSON object, or torn before its head
  /// was complete.
  bool (*head)(std::string_view line, RecordView& out, std::deque<std::string>& unescaped);

  /// The whole line, checked: `corrupt` unless it is one complete JSON object no deeper than 128. Unknown
  /// types, roles and parts are kept (`Unknown`, `Opaque`). Id and link are taken from the record.
  Result<Entry> (*decode)(RecordView const& record);

  /// Appends the entry's line, without a line end, to text that is empty or ends in one. `unsupported` if
  /// this dialect cannot represent it; `out` is then unchanged.
  Result<void> (*encode)(Entry const& entry, std::string& out);

  /// True if `encode` can represent bodies of this kind (index in `EntryBody`).
  bool (*can)(std::size_t body_index) noexcept;

  /// A message as this dialect stores it: the messages of one line each, at least one.
  std::vector<Message> (*split)(Message const& message);

  /// Lines carry ids and parents. False: an entry follows the one before it and is called by its place
  /// (`@N`); such a log has no branches.
  bool has_ids;

  /// The results of one answer's calls are in one message, because the program that reads the lines keeps
  /// only one of several user messages in a row.
  bool joins_results = false;

  /// The type of the line that `encode` writes for an entry, as `head` would read it, with static storage;
  /// empty where only the line shows it. Absent: lines that are being appended are read again for their type.
  std::string_view (*type_of)(Entry const& entry) noexcept = nullptr;
};

/// pi / OpenClaw JSONL version 3 (versions 1 and 2 are read): `id`, `parentId`, RFC 3339 times. The default.
/// Format: the documentation of pi-coding-agent, docs/session.md, and its session-manager.
SESSIONKIT_API Dialect const& native_dialect() noexcept;

/// claw0's lines (its s03 sessions): `user`, `assistant`, `tool_use`, `tool_result`, each with its own
/// members and an RFC 3339 `ts`; the first line is `session`. Anything claw0 does not know is written as
/// members it ignores. Format: claw0's docs/zh/s03_sessions.md.
SESSIONKIT_API Dialect const& flat_dialect() noexcept;

/// The later variant of the same: no first line, `ts` in seconds since 1970, results in `content`. Read only,
/// because its program cannot read the lines of the first.
SESSIONKIT_API Dialect const& flat_v2_dialect() noexcept;

/// ai-panel's and ZyHive's lines: `message` lines around `{role, content}` in the Anthropic API's spelling,
/// times in milliseconds since 1970; a compaction names no entry; the messages it keeps are written again
/// after it. Format: ai-panel's docs/session-design.md.
SESSIONKIT_API Dialect const& panel_dialect() noexcept;

/// The dialect of this name, or null. `-` and `_` are alike in it.
SESSIONKIT_API Dialect const* find_dialect(std::string_view name) noexcept;

/// The dialect that recognises this line, or null.
SESSIONKIT_API Dialect const* detect_dialect(std::string_view line) noexcept;

/// Decodes a page's item in the page's dialect.
SESSIONKIT_API Result<Entry> decode(RecordPage const& page, RecordPage::Item const& item);

}}
