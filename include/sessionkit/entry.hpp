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

/// How an entry names its parent, the entry that it follows.
enum class Parent {
  root,     ///< the entry has no parent, because it begins a conversation
  previous, ///< the parent is the entry directly before this one, as it always is in formats without ids
  entry,    ///< the entry names its parent by id
};

/// The first line of a log, which describes the session. It is not part of the tree of entries.
struct Header {
  std::string id = {};  ///< the session's id as it was written; in files of other programs it may be any text
  std::string key = {}; ///< the key of the session; any text
  std::string agent = {};          ///< the agent's name; empty: none
  std::string user = {};           ///< the user's name; empty: none
  std::string cwd = {};            ///< the working directory of the host
  std::string parent_session = {}; ///< the session that was forked: an id, or a path in pi's files
  RawJson metadata = {};           ///< null, or an object of the host
  std::uint64_t copied = 0;        ///< how many entries a fork copied; they follow the header directly
  int version = 3;                 ///< the version of the format in the file; 1 if the file has none
};
/// A summary that replaces earlier messages. The model sees `summary` and the kept entries. The log keeps all
/// entries.
struct Compaction {
  std::string summary; ///< the text that the model sees in place of the earlier messages
  /// The first entry that the model still sees; on the path, it comes before the compaction. If `first_kept`
  /// is the id of the compaction itself, or if no entry has this id, the model sees only the entries after
  /// the compaction.
  EntryId first_kept = {};
  std::uint64_t tokens_before = 0; ///< the tokens of the context before the compaction; 0: not known
  /// Null, or data of the program that made the summary. This library writes an object with `readFiles`,
  /// `modifiedFiles`, `reason` and `lastSummarized` (as in `CompactionPlan`).
  RawJson details = {};
  bool from_hook = false; ///< true: an extension of pi made the summary and `details`
  /// Files of version 1 have this in place of `first_kept`: the index of the first kept line. The header has
  /// the index 0.
  std::optional<std::uint64_t> first_kept_index = {};
  std::optional<std::uint64_t> tokens_after = {}; ///< estimated tokens of the summary and the kept entries
  /// In ai-panel's dialect, copies of the kept messages follow this entry. This is the number of copies. If
  /// fewer of them follow, the write was cut short, and the compaction is ignored.
  std::optional<std::uint64_t> kept_again = {};
};
/// A summary of a branch that the conversation has left.
struct BranchSummary {
  std::string summary;  ///< the text that the model sees; blank: the model sees none
  EntryId from = {};    ///< the last entry (leaf) of that branch; if this is empty, native lines have "root"
  RawJson details = {}; ///< null, or data of the program that made the summary
  bool from_hook = false; ///< true: an extension of pi made the summary
};
/// A new title. An empty text clears the title. If `by_person` is true, a person chose the title, and no
/// generated title replaces it.
struct TitleChange {
  std::string title;     ///< the new title; empty: the session has none
  bool by_person = true; ///< false: a program made the title
};
/// A change of the host's state, which maps keys to JSON values. `set` replaces earlier values, and `removed`
/// deletes keys.
struct StateChange {
  std::vector<std::pair<std::string, RawJson>> set = {}; ///< keys and their new values, applied in order
  std::vector<std::string> removed = {}; ///< keys without a value from now on; applied after `set`
};
/// Archives the session, or makes it active again.
struct ArchiveChange {
  bool archived = true; ///< false: the session is active again
};
/// Marks an entry, for example as a checkpoint. An empty label removes the mark.
struct Label {
  EntryId target;    ///< the marked entry
  std::string label; ///< any text; empty: the entry has no mark any more
};
/// The host uses another model from this entry on. A member that did not change is empty.
struct ModelChange {
  std::string provider = {}; ///< the host's name for the server
  std::string model = {};    ///< the model's name, as the provider writes it
  /// How much the model reasons, in the host's words. A native line has either a level or a model, so the
  /// native dialect refuses an entry with both (`unsupported`).
  std::string thinking_level = {};
};
/// Text that a host or an extension added to the conversation. The model receives it as text of the user, but
/// it does not begin a turn.
struct CustomMessage {
  std::string type;                      ///< the extension's name for this kind of message
  std::vector<ToolContent> content = {}; ///< what the model receives
  /// Whether and how a screen shows the text: `true`, `false`, or any other value of the host, for example an
  /// object with a style. Native lines keep the value byte for byte.
  RawJson display = RawJson::boolean(true);
  RawJson details = {};   ///< null, or data of the extension, which is never sent
  bool in_context = true; ///< false: the text is stored, but never sent

  /// True unless `display` is `false` or `null`.
  bool is_shown() const noexcept { return display.str() != "false" && !display.is_null(); }
};
/// Data of an extension, which is never sent.
struct Custom {
  std::string type;  ///< the extension's name for this kind of data
  RawJson data = {}; ///< any value; null: none
};
/// A line that this library does not understand. The log keeps it, and it is never sent.
struct Unknown {
  std::string type;  ///< the member `type` of the line (of a `bare` line, `role`); empty if the line has none
  RawJson line = {}; ///< the complete line
};

/// The content of an entry. `Dialect::can` takes the index of a type in this list.
using EntryBody = std::variant<Header, Message, Compaction, BranchSummary, TitleChange, StateChange,
                               ArchiveChange, Label, ModelChange, CustomMessage, Custom, Unknown>;

/// One line of a log, decoded.
struct Entry {
  /// The id of the entry. If the line has no id, it is `@N`, where N is the place of the line in the log.
  /// Empty in an entry that is not stored yet.
  EntryId id = {};
  Parent link = Parent::previous; ///< how the entry names its parent
  EntryId parent = {};            ///< set if `link` is `entry`
  Timestamp at = {};              ///< when the entry was made; the default (1970): the line has no time
  EntryBody body = Unknown{};     ///< the content
  RawJson extra = {};             ///< null, or an object with the members of the line that are not in `body`

  /// Returns a pointer to the body if the body is of the type `T`, otherwise null.
  template <class T> T const* as() const noexcept { return std::get_if<T>(&body); }
  /// What the entry says, as plain text: `Message::text`, the joined texts of a `CustomMessage`, or the
  /// summary of a `Compaction` or `BranchSummary`. Empty for all other entries, and for a message without
  /// `Text` parts; for results of tools see `ToolResult::text`.
  SESSIONKIT_API std::string text() const;
};

}}
