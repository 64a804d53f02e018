// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>
#include <sessionkit/event.hpp>
#include <sessionkit/session_store.hpp>
#include <sessionkit/time.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 {

/// Reads a session that a program of the framework blades saved as one JSON document, `SessionData` version
/// 1: `{id, state, history:[{role, text, tool_calls?, tool_result?, timestamp, metadata?}], created_at,
/// updated_at, version}`.
///
/// The header keeps the session's own id. The state becomes one `StateChange`. Its values keep their
/// spelling, so integers stay integers. An element of `history` that is no message, or whose role is unknown,
/// is kept as `Custom` data of type "blades.item". `Entry::extra` keeps the unknown members of a message, and
/// the `extra` of a part keeps those of a call or a result. The content of a tool result may be JSON that is
/// not a string. The text of the result is then this JSON. The member `bladesJsonResult` of `Entry::extra`
/// has the id of the call, and because of this member `export_blades` writes the JSON again. A time that
/// `to_rfc3339` spells differently (nanoseconds, another zone) is kept as the text `bladesTime` in
/// `Entry::extra`, and `export_blades` writes this text again. Fails with `corrupt` if the text is no such
/// document, and with `unsupported_version` for another version.
SESSIONKIT_API Result<Log> import_blades(std::string_view document);

/// Returns true if a text looks like a document of blades: a JSON object with an array `history` and without
/// the member `type`, which the lines of all dialects have. The text may be only the first part of a file.
/// For such a part, an object `state` is enough instead of `history`. `import_blades` may still refuse a text
/// for which this returns true.
SESSIONKIT_API bool is_blades(std::string_view text);

/// Writes the path from a log's first entry to its last entry as a document of blades. `Converted::losses`
/// lists everything that the document cannot represent. If the log has its lines (`LogLines::kept`), times
/// keep their original texts. If the header has no id, `id` names the session.
SESSIONKIT_API Converted export_blades(Log const& log, SessionId const& id);

/// Options of a store of blades documents.
struct BladesStoreOptions {
  std::chrono::milliseconds lock_wait{5000}; ///< the longest wait for another writer; then `timed_out`
  /// The maximum size of a file in bytes. A larger file is refused with `unsupported`.
  std::uint64_t max_document = std::uint64_t{256} << 20;
  bool create = true;     ///< make the directory (mode 0700) if it does not exist
  bool read_only = false; ///< true: create nothing; appends and removals fail with `unsupported`
  /// True: also open a directory to which a group or everybody may write, although each of these users can
  /// replace sessions.
  bool allow_shared_directory = false;
  /// The profile decides how sessions are written. Its dialect is ignored, because all lines are parts of
  /// documents.
  Profile profile = profiles::blades;
  Clock clock = {};      ///< gives the time of saving if only the state changes; absent: the system clock
  OnEvent on_event = {}; ///< receives the events of the store; absent: they are dropped
};

/// Opens a directory of blades documents as a store. Each session is one file `<dir>/<session id>.json` with
/// one `SessionData`. This layout is that of `NewFileSessionStore(dir)`, a function in the design document of
/// blades. (The document does not show the code of the function.) Documents that a program of blades saved
/// are continued in place. Bytes that an append does not change stay as they were, also those of unknown
/// members.
///
/// The store of blades documents is the only store that replaces a file as a whole: an append writes a draft,
/// syncs it and renames it. So each append is durable, and its cost grows with the length of the document.
/// The first line of the log is the header: the document without history and state. Every item of the history
/// is one line, unchanged. If the time of saving (`updated_at`) differs from the time of the newest message,
/// the header also has the time of saving. A document has messages and one state. Anything else (titles,
/// labels, archiving, compactions, branches) is `unsupported`. An append of state replaces the state of the
/// document. It does not move the end of the log. Two processes that use this store lose none of each other's
/// entries. But a program of blades takes no lock and saves the session that it has in memory. So it
/// overwrites entries that were appended since it loaded the session.
///
/// A document that cannot be read is never shown as an empty session. Calls for its session fail with
/// `corrupt`, with `unsupported_version` for another version, or with `unsupported` if the document is larger
/// than `max_document`. A list shows the session with `damaged` 1. A message with an unknown role stays in
/// the document and is not sent to a model. `Event::part_left_out` reports it. Opening fails with `not_found`
/// if the directory does not exist and `create` is false, with `unsafe_path`, or with `io_error`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_blades_store(std::string const& dir,
                                                                       BladesStoreOptions options = {});

}}
