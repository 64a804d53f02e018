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

/// A message as it is sent.
struct ExportMessage {
  Role role = Role::user;
  std::vector<ExportPiece> pieces = {};
  std::optional<Generation> generation = {};
  Timestamp at = {};

  /// The message without the entries.
  Message message() const;
};

/// What is said from one compaction to the next.
struct ExportSegment {
  EntryId compaction = {}; ///< with which it begins; empty: the conversation begins
  std::string summary = {};
  std::uint64_t tokens_before = 0;
  Timestamp at = {};                    ///< of the compaction
  std::vector<ExportMessage> kept = {}; ///< what the compaction keeps
  bool summary_is_last = false;         ///< the summary follows what is kept
  std::vector<ExportMessage> said = {}; ///< after the compaction
};

/// A conversation for one program.
struct ExportHistory {
  std::vector<ExportSegment> segments = {}; ///< the last one is what is sent; at least one
  std::vector<Loss> losses = {};
  TitleChange const* title = nullptr; ///< in the source; null: the session has none
  Header header = {};                 ///< empty if the source has none
  Timestamp begin = {}, end = {};     ///< the times of the first and of the last message
};

/// What a program receives.
struct ExportTarget {
  Target target;
  bool introduces_summary = false; ///< pi's sentence introduces the summaries, which are other programs'
};

/// Rebuilds the contexts of a session as `target` sends them. Pieces of a compaction's summary are in
/// `ExportSegment::summary`. Lists everything that no message has as a loss.
ExportHistory make_export_history(ExportSource const& source, ExportTarget const& target);

/// For formats in which nothing is written twice: a message that a compaction keeps stays only where it is
/// kept, and an earlier call with the id of a later one gets another id. Lists both as losses.
void write_once(ExportHistory& history);

/// The target with which a session is exported: with the program's wording if it is a session of this
/// program, else the summary is the first text of the user, in the words that introduce a summary.
ExportTarget export_target(ExportSource const& source, Exporter const& exporter, Provider provider);

/// True if the session was imported from this program.
bool is_session_of(ExportSource const& source, std::string_view program);

/// Adds a loss for the whole session unless `count` is 0: "images (3): WHAT".
void add_loss(std::vector<Loss>& losses, std::size_t count, std::string_view things, std::string_view what);

}}}
