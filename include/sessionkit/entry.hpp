// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/ids.hpp>
#include <sessionkit/message.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// How an entry names the entry before it. `root`: it names none, because it begins a conversation.
/// `previous`: the entry follows the one before it in the log (formats without ids). `entry`: by id.
enum class Parent { root, previous, entry };

/// The first line of a log. Not part of the tree.
struct Header {
  std::string id = {};  ///< as written; any text in files of other programs
  std::string key = {}; ///< routing key, free text
  std::string agent = {}, user = {};
  std::string cwd = {};            ///< working directory of the host
  std::string parent_session = {}; ///< where a fork came from: an id, or a path in pi's files
  RawJson metadata = {};           ///< null or an object, the host's own
  std::uint64_t copied = 0;        ///< how many entries after the header a fork took over
  int version = 3;                 ///< the version of the format in the file; 1 if the file has none
};
/// In the model's view `summary` replaces everything before this entry. Nothing is deleted from the log.
struct Compaction {
  std::string summary;
  EntryId first_kept = {}; ///< the first entry that stays, earlier on the path; if it is this entry's own id
                           ///< or names no entry, only what follows stays
  std::uint64_t tokens_before = 0;
  RawJson details = {};
  bool from_hook = false;
  std::optional<std::uint64_t> first_kept_index =
      {};                                         ///< version 1 files: index of a line, the header being 0
  std::optional<std::uint64_t> tokens_after = {}; ///< of the summary and what was kept, estimated
  /// In ai-panel's lines: the number of messages that are written again after this entry. If they are not all
  /// there, the write was cut short, and the compaction does not count.
  std::optional<std::uint64_t> kept_again = {};
};
/// A summary of a branch that the conversation came back from.
struct BranchSummary {
  std::string summary;
  EntryId from = {};
  RawJson details = {};
  bool from_hook = false;
};
/// A new title. An empty text clears the title. `by_person`: a person chose it, so no generated title
/// replaces it.
struct TitleChange {
  std::string title;
  bool by_person = true;
};
/// Typed key-value state of the host: `set` wins over earlier values, `removed` forgets them.
struct StateChange {
  std::vector<std::pair<std::string, RawJson>> set = {};
  std::vector<std::string> removed = {};
};
/// The session is archived, or no longer archived.
struct ArchiveChange {
  bool archived = true;
};
/// Marks an entry, for example as a checkpoint. An empty label removes the mark.
struct Label {
  EntryId target;
  std::string label;
};
/// From this entry on the host uses another model. A member that did not change is empty.
struct ModelChange {
  std::string provider = {}, model = {}, thinking_level = {};
};
/// Text that a host or an extension added to the conversation. It is sent as text of the user, but counts as
/// no turn.
struct CustomMessage {
  std::string type;
  std::vector<ToolContent> content = {};
  bool display = true;
  RawJson details = {};
  bool in_context = true; ///< false: stored, never sent
};
/// Data of an extension: never sent.
struct Custom {
  std::string type;
  RawJson data = {};
};
/// A line that this library does not understand. It is kept, and never sent.
struct Unknown {
  std::string type;
  RawJson line = {};
};

/// The content of an entry. The index of a kind is its place in this list.
using EntryBody = std::variant<Header, Message, Compaction, BranchSummary, TitleChange, StateChange,
                               ArchiveChange, Label, ModelChange, CustomMessage, Custom, Unknown>;

/// One line of a log, decoded.
struct Entry {
  EntryId id = {};
  Parent link = Parent::previous;
  EntryId parent = {}; ///< set where `link` is `entry`
  Timestamp at = {};
  EntryBody body = Unknown{};
  RawJson extra = {}; ///< null, or an object of the members of the line that `body` does not represent

  /// The body, if it is of this kind; else null.
  template <class T> T const* as() const noexcept { return std::get_if<T>(&body); }
};

}}
