// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/event.hpp>
#include <sessionkit/ids.hpp>
#include <sessionkit/raw_json.hpp>
#include <sessionkit/record.hpp>
#include <sessionkit/result.hpp>
#include <sessionkit/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// A place where people talk to an agent: `{"telegram", "-10042"}`, `{"web", "shop"}`. A type consists of
/// letters, digits and `_`. An id is any text that is not empty.
struct Channel {
  std::string type; ///< letters, digits and `_`; not empty
  std::string id;   ///< any text; not empty
  /// Returns the name of the channel as the lines contain it, for example `telegram-42`. The name of the file
  /// is the same, except that `%XX` replaces each character that a file name cannot contain.
  std::string name() const { return type + "-" + id; }
  /// True if type and id are equal, byte for byte.
  friend bool operator==(Channel const& a, Channel const& b) { return a.type == b.type && a.id == b.id; }
  /// True if type or id differs.
  friend bool operator!=(Channel const& a, Channel const& b) { return !(a == b); }
};

/// A message in a channel.
struct ChannelMessage {
  std::string role;        ///< "user" or "assistant"
  std::string content;     ///< UTF-8; bytes that are not UTF-8 are stored as U+FFFD
  std::string sender = {}; ///< the person's name in the channel; may be empty
  Timestamp at = {};       ///< the default (1970): the time at which the message is stored
  /// The id distinguishes messages with equal text and time. If it is empty, `append` makes one. Lines of
  /// other programs have no id.
  std::string id = {};
  RawJson extra = {}; ///< null, or an object with further members, which never replace the members above
};

/// Options of a channel log.
struct ChannelLogOptions {
  /// True: each acknowledged message survives power loss. False: each acknowledged message survives the end
  /// of the process, because the operating system has it.
  bool durable = true;
  std::chrono::milliseconds lock_wait{5000}; ///< the longest wait for another writer; then `timed_out`
  std::uint64_t max_line =
      default_max_line;  ///< in bytes; a longer line is skipped when read and refused when written
  bool create = true;    ///< make the directory (mode 0700) if it does not exist
  Clock clock = {};      ///< absent: the system clock
  IdSource ids = {};     ///< absent: `random_entry_id`
  OnEvent on_event = {}; ///< `Event::session` is the channel's name
};

/// Selects the messages of a channel to read.
struct ChannelQuery {
  ReadRange::Order order = ReadRange::newest_first; ///< the order of the messages on the pages
  /// `ChannelPage::next` of the previous page. If absent, reading begins at the oldest or newest message.
  std::optional<Position> from = {};
  std::size_t limit = 100;                ///< the maximum number of messages on a page; not 0
  std::optional<std::string> sender = {}; ///< only messages of this person
};
/// One page of the messages of a channel.
struct ChannelPage {
  std::vector<ChannelMessage> messages = {}; ///< in the order of the query
  std::vector<Damage> damage = {}; ///< lines that give no message, in the order in which they were read
  bool more = false;               ///< true: there may be another page
  Position next = {};              ///< `ChannelQuery::from` of the following page
};

/// A channel in a list of channels.
struct ChannelSummary {
  Channel channel;            ///< the channel
  std::uint64_t messages = 0; ///< the number of messages
  std::uint64_t damaged = 0;  ///< the number of lines that give no message
  std::uint64_t bytes = 0;    ///< the size of the file
  Timestamp first = {};       ///< the time of the first message; 1970 if there is no message
  Timestamp last = {};        ///< the time of the last message; 1970 if there is no message
};

/// A record of all messages in the channels of an agent, for its administrator. Each channel is one
/// append-only file, for example `<directory>/telegram-42.jsonl`. A file has one message in each line, in the
/// form of ZyHive and ai-panel (their pkg/convlog). No session, history or store contains these messages, so
/// no model ever sees them.
///
/// Several processes may write to one directory, and several threads may call functions of one object at the
/// same time. Copies of the object use the same log. In a forked process, calls of the parent's object fail
/// with `forked`. The process must open its own object.
class SESSIONKIT_API ChannelLog {
 public:
  /// Opens the logs in a directory. Fails with `not_found` if the directory does not exist and `create` is
  /// false, with `unsafe_path`, or with `io_error`.
  static Result<ChannelLog> open(std::string const& directory, ChannelLogOptions options = {});
  /// Opens `<home>/agents/<agent>/convlogs`. The directory of `open_agent_store` is in the same folder. Fails
  /// with `invalid_argument` if the agent's name does not have the form of a `SessionId`.
  static Result<ChannelLog> open_agent(std::string const& home, std::string const& agent,
                                       ChannelLogOptions options = {});

  /// Stores a message after all other messages of its channel, and returns the position at which it ends. If
  /// a crash left an incomplete line at the end of the file, the bytes of this line stay, and a line end is
  /// added to them (`Event::tail_sealed`). Fails with `invalid_argument` for an invalid channel or `extra`,
  /// or a line longer than `max_line`. Other errors are those of `TranscriptWriter::append`, without
  /// `conflict`. After `outcome_unknown`, the message may be stored. A caller that must find out sets
  /// `ChannelMessage::id` before the call, and looks for this id afterwards.
  Result<Position> append(Channel const& channel, ChannelMessage const& message);

  /// Reads a page of a channel. Fails with `not_found` if the channel has no messages. A line that gives no
  /// message is skipped and reported. An incomplete last line is ignored, because a writer may be completing
  /// it.
  Result<ChannelPage> read(Channel const& channel, ChannelQuery const& query = {}) const;

  /// Lists all channels by name. Reads every file once. Files whose name is not that of a channel are
  /// skipped.
  Result<std::vector<ChannelSummary>> list() const;

 private:
  friend struct ChannelLogAccess;
  struct State;
  explicit ChannelLog(std::shared_ptr<State> state) noexcept;
  std::shared_ptr<State> state_;
};

}}
