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

  /// True if this line, an entry or a header, is in this dialect and in no other. The first complete line
  /// that a dialect recognises decides the dialect of a log. A header that several programs could have
  /// written does not decide.
  bool (*detect)(std::string_view line) noexcept;

  /// Reads id, type and parent of a line. It stops as soon as they are known, so true does not prove that the
  /// line is complete. Views point into `line`, or into `unescaped` if the text had escapes; the call empties
  /// `unescaped` first. `id` stays empty if the line has none. False: the line is no JSON object, or it is
  /// torn inside its head.
  bool (*head)(std::string_view line, RecordView& out, std::deque<std::string>& unescaped);

  /// Decodes a complete line. `corrupt` if the line is not one JSON object, or is nested deeper than 128.
  /// Unknown types, roles and parts are kept (`Unknown`, `Opaque`). Id and link come from the record.
  Result<Entry> (*decode)(RecordView const& record);

  /// Appends the entry's line, without a line end, to text that is empty or ends in one. `unsupported` if
  /// this dialect cannot represent it; `out` is then unchanged.
  Result<void> (*encode)(Entry const& entry, std::string& out);

  /// True if `encode` can represent bodies of this kind (index in `EntryBody`).
  bool (*can)(std::size_t body_index) noexcept;

  /// Splits a message into the messages that are one line each in this dialect; at least one.
  std::vector<Message> (*split)(Message const& message);

  /// True if lines have ids and parents. If false, each entry follows the one before it and is named by its
  /// place (`@N`), and a log has no branches.
  bool has_ids;

  /// True if the results of one answer's calls must be in one message, because the program that reads the
  /// lines keeps only one of several consecutive user messages.
  bool joins_results = false;

  /// Returns the type of the line that `encode` would write for an entry, with static storage; empty if only
  /// the line shows it. If this function is absent, the line is read again for its type.
  std::string_view (*type_of)(Entry const& entry) noexcept = nullptr;
};

/// pi / OpenClaw JSONL version 3 (versions 1 and 2 are read): `id`, `parentId`, RFC 3339 times. The default.
/// Format: the documentation of pi-coding-agent, docs/session.md, and its session-manager.
SESSIONKIT_API Dialect const& native_dialect() noexcept;

/// claw0's lines (its s03 sessions): `user`, `assistant`, `tool_use`, `tool_result`, each with its own
/// members and an RFC 3339 `ts`; the first line is `session`. Anything claw0 does not know is written as
/// members it ignores. Format: claw0's docs/zh/s03_sessions.md.
SESSIONKIT_API Dialect const& flat_dialect() noexcept;

/// The later variant of claw0's lines: no header, `ts` in seconds since 1970, results in `content`. It is
/// read only, because the later program cannot read `flat` lines.
SESSIONKIT_API Dialect const& flat_v2_dialect() noexcept;

/// ai-panel's and ZyHive's lines: `message` lines around `{role, content}` in the Anthropic API's spelling,
/// times are in milliseconds since 1970. A compaction names no entry: the messages that it keeps are written
/// again after it. Format: ai-panel's docs/session-design.md.
SESSIONKIT_API Dialect const& panel_dialect() noexcept;

/// The dialect of this name, or null. `-` and `_` are alike in it.
SESSIONKIT_API Dialect const* find_dialect(std::string_view name) noexcept;

/// The dialect that recognises this line, or null.
SESSIONKIT_API Dialect const* detect_dialect(std::string_view line) noexcept;

/// Decodes a page's item in the page's dialect.
SESSIONKIT_API Result<Entry> decode(RecordPage const& page, RecordPage::Item const& item);

}}
