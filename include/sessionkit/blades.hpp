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

/// Reads a session that a program on blades saved as one JSON document, `SessionData` version 1:
/// `{id, state, history:[{role, text, tool_calls?, tool_result?, timestamp, metadata?}], created_at,
/// updated_at, version}`.
///
/// The header keeps the session's own id. The state becomes one `StateChange`. Its values keep their
/// spelling, so integers stay integers. An element of `history` that is no message, or whose role is unknown,
/// is kept as `Custom` data of type "blades.item". `Entry::extra` keeps the unknown members of a message, and
/// the `extra` of a part keeps those of a call or a result. If a result is not a text, its JSON text is used,
/// and `export_blades` writes the JSON again (`Entry::extra` has its id as `bladesJsonResult`). A time that
/// `to_rfc3339` spells differently (nanoseconds, another zone) is kept as the text `bladesTime` in
/// `Entry::extra`, and `export_blades` writes this text again. Fails with `corrupt` if the text is no such
/// document, and with `unsupported_version` for another version.
SESSIONKIT_API Result<Log> import_blades(std::string_view document);

/// Returns true if a text looks like such a document: a JSON object with an array `history` and without the
/// member `type`, which the lines of all dialects have. The text may be only the first part of a file; an
/// object `state` is then enough. `import_blades` may still refuse a text for which this returns true.
SESSIONKIT_API bool is_blades(std::string_view text);

/// Writes the path to a log's last entry as such a document. The result lists everything that the document
/// cannot represent as a loss. With the lines of the log (`LogLines::kept`), a time keeps the text that it
/// has there. If the header has no id, `id` names the session.
SESSIONKIT_API Converted export_blades(Log const& log, SessionId const& id);

/// How a store of documents reads, writes and waits.
struct BladesStoreOptions {
  std::chrono::milliseconds lock_wait{5000}; ///< how long to wait for another writer: then `timed_out`
  std::uint64_t max_document = std::uint64_t{256} << 20; ///< larger files are refused as `unsupported`; bytes
  bool create = true;     ///< make the directory (mode 0700) if it does not exist
  bool read_only = false; ///< create nothing; appends and removals answer `unsupported`
  /// Also open a directory to which a group or everybody may write, although each of these users can replace
  /// sessions.
  bool allow_shared_directory = false;
  /// How sessions are written. The lines are always those of documents, whatever dialect the profile names.
  Profile profile = profiles::blades;
  Clock clock = {};      ///< the time of saving if only the state changes
  OnEvent on_event = {}; ///< receives the events of the store; absent: they are dropped
};

/// Sessions as documents of blades: `<dir>/<session id>.json`, one `SessionData` each. This is the layout of
/// the seed's `NewFileSessionStore(dir)`, which the seed calls but does not show. Documents that a program on
/// blades saved are continued in place: what an append does not change keeps its bytes, unknown members too.
///
/// It is the only store that replaces a file as a whole: it writes a draft, syncs it and renames it, so that
/// each append costs as much as the document is long and is always durable. A line is an item of the history
/// as it is, a header is the document without history and state; it has the time of saving (`updated_at`),
/// unless this is the time of the newest message. A document has messages and one state, so anything else
/// (titles, labels, archiving, compactions, branches) is `unsupported`. A changed state takes the place of
/// the old one, and the end of the log stays where it is. Two processes that use this store lose nothing of
/// each other. A program on blades takes no lock and saves what it has in memory: it replaces what was
/// appended since it loaded the session.
///
/// A document that cannot be read is `corrupt`, never an empty session; a list shows it with `damaged` 1. A
/// message of an unknown role stays in the document and is not sent; `Event::part_left_out` reports it.
/// `not_found` if the directory does not exist and `create` is false; `unsafe_path`; `io_error`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_blades_store(std::string const& dir,
                                                                       BladesStoreOptions options = {});

}}
