// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/export.hpp>
#include <sessionkit/history.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A part of a message, and the entry from which it comes. The id is empty if a repair made the part.
struct ExportPiece {
  Part part;
  EntryId entry;
};

/// A message as it is sent, part by part.
struct ExportMessage {
  Role role = Role::user;
  std::vector<ExportPiece> pieces = {};
  std::optional<Generation> generation = {};
  Timestamp at = {};

  /// Returns the message without the ids of the entries.
  Message message() const;
};

/// The messages from one compaction to the next.
struct ExportSegment {
  EntryId compaction = {}; ///< begins the segment; empty: the conversation begins here
  std::string summary = {};
  std::uint64_t tokens_before = 0;
  Timestamp at = {};                    ///< the time of the compaction
  std::vector<ExportMessage> kept = {}; ///< the messages that the compaction keeps
  bool summary_is_last = false;         ///< the summary follows the messages in `kept`
  std::vector<ExportMessage> said = {}; ///< the messages after the compaction
};

/// A conversation for one program.
struct ExportHistory {
  std::vector<ExportSegment> segments = {}; ///< at least one; the last segment is what is sent
  std::vector<Loss> losses = {};
  TitleChange const* title = nullptr; ///< points into the source; null: the session has no title
  Header header = {};                 ///< empty if the source has none
  Timestamp begin = {}, end = {};     ///< the times of the first and of the last message
};

/// Describes what a program receives.
struct ExportTarget {
  Target target;
  bool introduces_summary = false; ///< pi's sentence introduces each summary, because another program made it
};

/// Rebuilds the contexts of a session for `target`. The summary of a compaction is in
/// `ExportSegment::summary`, and not in a message. Lists as a loss everything that is in no message.
ExportHistory make_export_history(ExportSource const& source, ExportTarget const& target);

/// Changes a history for formats in which nothing is written twice. A message that several segments have
/// stays only in the last segment whose compaction keeps it. An earlier call that has the id of a later call
/// gets another id. Lists both changes as losses.
void write_once(ExportHistory& history);

/// Returns the target with which a session is exported. A session that was imported from this program gets
/// the program's wording. In any other session, a summary becomes the first text of the user, with pi's
/// sentence before it.
ExportTarget export_target(ExportSource const& source, Exporter const& exporter, Provider provider);

/// True if the session was imported from this program.
bool is_session_of(ExportSource const& source, std::string_view program);

/// Adds a loss for the whole session unless `count` is 0: "images (3): WHAT".
void add_loss(std::vector<Loss>& losses, std::size_t count, std::string_view things, std::string_view what);

}}}
