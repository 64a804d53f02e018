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

/// How an entry names the one before it: not at all because it begins a conversation, by its place after it
/// (formats without ids), or by id.
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
  int version = 3;                 ///< of the format the file says it is in; 1 where it says nothing
};
/// Everything before is replaced by `summary` in the model's view; nothing is deleted.
struct Compaction {
  std::string summary;
  EntryId first_kept =
      {}; ///< an earlier entry on the path; its own id, or anything else: only what follows is kept
  std::uint64_t tokens_before = 0;
  RawJson details = {};
  bool from_hook = false;
  std::optional<std::uint64_t> first_kept_index =
      {};                                         ///< version 1 files: index of a line, the header being 0
  std::optional<std::uint64_t> tokens_after = {}; ///< of the summary and what was kept, estimated
  /// Panel lines: so many messages are written again after it. If they are not, the write was cut short, and
  /// the compaction does not count.
  std::optional<std::uint64_t> kept_again = {};
};
/// A summary of a branch that the conversation came back from.
struct BranchSummary {
  std::string summary;
  EntryId from = {};
  RawJson details = {};
  bool from_hook = false;
};
/// Empty: the title is cleared. `by_person`: a title somebody chose is never replaced by a made one.
struct TitleChange {
  std::string title;
  bool by_person = true;
};
/// Typed key-value state of the host: `set` wins over earlier values, `removed` forgets them.
struct StateChange {
  std::vector<std::pair<std::string, RawJson>> set = {};
  std::vector<std::string> removed = {};
};
/// The session is archived, or in use again.
struct ArchiveChange {
  bool archived = true;
};
/// Marks an entry, for example as a checkpoint. Empty: the mark is taken away.
struct Label {
  EntryId target;
  std::string label;
};
/// The host talks to another model from here on. Empty members did not change.
struct ModelChange {
  std::string provider = {}, model = {}, thinking_level = {};
};
/// Text that a host or extension put into the conversation: sent as the user's, but not a turn of a person.
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
/// A line this library does not understand: kept, never sent.
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
  RawJson extra = {}; ///< null or an object: members of the line that have no place in `body`

  /// The body, if it is of this kind; else null.
  template <class T> T const* as() const noexcept { return std::get_if<T>(&body); }
};

}}
