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

/// A dialect is the form in which one program writes entries as lines. This type is a table of pure
/// functions, and each dialect is a constant of this type.
struct Dialect {
  std::string_view name; ///< the name that `find_dialect` finds, for example "native"; static storage

  /// Returns true if this line may be in this dialect. The line may be a header or an entry. The first
  /// complete line that only one program could have written decides the log's dialect. The function returns
  /// false for a header that several programs could have written.
  bool (*detect)(std::string_view line) noexcept;

  /// Reads the head of a line: id, type and parent. The function stops as soon as these are known, so true
  /// does not prove that the line is complete. It returns false if the line is not a JSON object, or ends
  /// inside its head. The views in `out` point into `line`, or into `unescaped` if the text had escapes. The
  /// call empties `unescaped` first. If the line has no id, `id` stays empty.
  bool (*head)(std::string_view line, RecordView& out, std::deque<std::string>& unescaped);

  /// Decodes a complete line. Unknown types, roles and parts are kept (`Unknown`, `Opaque`). The id and the
  /// parent come from the record, not from the line. Fails with `corrupt` if the line is not one JSON object,
  /// or is nested deeper than 128 levels.
  Result<Entry> (*decode)(RecordView const& record);

  /// Appends the entry's line to `out`, without a line end. `out` must be empty or end in a line end. Fails
  /// with `unsupported` if this dialect cannot represent the entry; `out` is then unchanged.
  Result<void> (*encode)(Entry const& entry, std::string& out);

  /// Returns true if `encode` can represent bodies of the type with this index in `EntryBody`.
  bool (*can)(std::size_t body_index) noexcept;

  /// Splits a message, so that each returned message is one line in this dialect. Returns at least one
  /// message.
  std::vector<Message> (*split)(Message const& message);

  /// True if lines have ids and parents. If false, a log has no branches: each entry follows the one before
  /// it. The id of an entry is then `@N`, where N is the place at which its line ends. In a file, N is the
  /// byte offset before the line end; in a database, N is the position.
  bool has_ids;

  /// True if one message must have all tool results of an answer. Some programs need this, because they keep
  /// only one of several consecutive user messages.
  bool joins_results = false;

  /// Returns the type of the line that `encode` would write for an entry, in static storage. Empty if only
  /// the line itself shows the type. If this function is null, callers read the encoded line to learn its
  /// type.
  std::string_view (*type_of)(Entry const& entry) noexcept = nullptr;

  /// The name of the member that has the time of a header. If `encode` would write this time as another text,
  /// a conversion keeps the original text. The name is empty if headers have no time, or if conversions keep
  /// no original texts of times.
  std::string_view header_time = {};
  std::string_view line_time = {}; ///< the same for any other line

  /// True if a session of this dialect is one JSON document. The lines are then parts of the document, and
  /// never lines of a file. The store that keeps such documents makes these lines itself. So no line needs to
  /// be recognised, and `detect` always returns false.
  bool in_documents = false;
};

/// The default: the lines of pi and OpenClaw, version 3, with `id`, `parentId` and RFC 3339 times. Versions 1
/// and 2 are read. Source: pi-coding-agent's docs/session.md and its session-manager.
SESSIONKIT_API Dialect const& native_dialect() noexcept;

/// The lines of claw0's lesson s03. The first line has the type `session` and the time `created`.
/// Lines of messages have the types `user`, `assistant`, `tool_use` and `tool_result`, and an RFC 3339 `ts`.
/// Data that claw0 does not know is written as members and lines that claw0 ignores. Source: claw0's
/// docs/zh/s03_sessions.md.
SESSIONKIT_API Dialect const& flat_dialect() noexcept;

/// A later variant of claw0's lines: without a header, with `ts` in seconds since 1970, and with results in
/// `content`. The library reads this variant, but does not write it. The library does not continue such a log
/// in `flat_dialect` either, because the later claw0 cannot read lines of `flat_dialect`.
SESSIONKIT_API Dialect const& flat_v2_dialect() noexcept;

/// The lines of ai-panel and ZyHive. A line of the type `message` has `{role, content}` in the form of the
/// Anthropic API, and its time in milliseconds since 1970. A compaction does not name the first kept entry;
/// the messages that the compaction keeps are written again after the compaction. Source: ai-panel's
/// docs/session-design.md.
SESSIONKIT_API Dialect const& panel_dialect() noexcept;

/// The lines of ZeroClaw's main branch, `{"role":…,"content":…}`: one text for each message of the user, the
/// assistant or the system. Messages of ZeroClaw's tools are decoded as `Unknown`. The library reads and
/// continues an existing log of this dialect, but starts no new one, because these lines have no header.
/// Source: ZeroClaw's session_store.rs and `ChatMessage`.
SESSIONKIT_API Dialect const& bare_dialect() noexcept;

/// Returns the dialect of this name, or null. In the name, `-` and `_` mean the same.
SESSIONKIT_API Dialect const* find_dialect(std::string_view name) noexcept;

/// Returns the dialect whose `detect` recognises this line, or null.
SESSIONKIT_API Dialect const* detect_dialect(std::string_view line) noexcept;

/// Decodes an item of a page in the dialect of the page.
SESSIONKIT_API Result<Entry> decode(RecordPage const& page, RecordPage::Item const& item);

}}
