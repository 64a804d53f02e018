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

/// Where people talk to an agent: `{"telegram", "-10042"}`, `{"web", "shop"}`. A type consists of letters,
/// digits and `_`. An id is any text that is not empty.
struct Channel {
  std::string type, id;
  /// The channel's name in its lines: `telegram-42`.
  std::string name() const { return type + "-" + id; }
  friend bool operator==(Channel const& a, Channel const& b) { return a.type == b.type && a.id == b.id; }
  friend bool operator!=(Channel const& a, Channel const& b) { return !(a == b); }
};

/// A message in a channel.
struct ChannelMessage {
  std::string role;        ///< "user" or "assistant"
  std::string content;     ///< UTF-8; other bytes are stored as U+FFFD
  std::string sender = {}; ///< the person's name in the channel; may be empty
  Timestamp at = {};       ///< absent (1970): the time it is stored
  /// Distinguishes messages with equal text and time. Absent: a new id. Lines of other programs have none.
  std::string id = {};
  RawJson extra = {}; ///< null, or an object of further members; they never replace the members above
};

/// How channel logs are written and read.
struct ChannelLogOptions {
  /// True: each acknowledged message survives power loss. False: the operating system has the message, so
  /// that it survives the end of the process.
  bool durable = true;
  std::chrono::milliseconds lock_wait{5000}; ///< how long to wait for another writer: then `timed_out`
  std::uint64_t max_line =
      default_max_line;  ///< longer lines are skipped on reading and refused on writing; bytes
  bool create = true;    ///< make the directory (mode 0700) if it does not exist
  Clock clock = {};      ///< absent: the system clock
  IdSource ids = {};     ///< absent: `random_entry_id`
  OnEvent on_event = {}; ///< `Event::session` is the channel's name
};

/// Which messages of a channel to read.
struct ChannelQuery {
  ReadRange::Order order = ReadRange::newest_first;
  std::optional<Position> from = {};      ///< `ChannelPage::next` of the page before; absent: from that end
  std::size_t limit = 100;                ///< messages on a page at most, not 0
  std::optional<std::string> sender = {}; ///< only messages of this person
};
/// Some messages of a channel.
struct ChannelPage {
  std::vector<ChannelMessage> messages = {}; ///< in the order of the query
  std::vector<Damage> damage = {}; ///< lines that give no message, in the order in which they were read
  bool more = false;               ///< there may be more in this direction
  Position next = {};              ///< `ChannelQuery::from` of the following page
};

/// The row of a list of channels.
struct ChannelSummary {
  Channel channel;
  std::uint64_t messages = 0, damaged = 0, bytes = 0;
  Timestamp first = {}, last = {}; ///< the times of the first and the last message
};

/// The messages of each channel of an agent, for its administrator. They are append-only files beside the
/// sessions, such as `<directory>/telegram-42.jsonl`, with one message in each line, in the form of ZyHive
/// and ai-panel (their pkg/convlog). No session, history or store contains these messages, so no model ever
/// sees them.
///
/// Several processes may write to one directory. Safe to call from several threads at once. Copies of the
/// object are the same log. A forked process must open its own object (`forked`).
class SESSIONKIT_API ChannelLog {
 public:
  /// `not_found` (and not `create`), `unsafe_path`, `io_error`.
  static Result<ChannelLog> open(std::string const& directory, ChannelLogOptions options = {});
  /// `<home>/agents/<agent>/convlogs`, beside the sessions of `open_agent_store`. `invalid_argument` if the
  /// agent's name is not valid as a `SessionId`.
  static Result<ChannelLog> open_agent(std::string const& home, std::string const& agent,
                                       ChannelLogOptions options = {});

  /// Stores a message after all other messages of its channel, and returns where it ends. If a crash left
  /// torn bytes there, they stay, and a line end is added to them (`Event::tail_sealed`). `invalid_argument`
  /// for an invalid channel or `extra`, or a line above `max_line`. Other errors are those of
  /// `TranscriptWriter::append`, without `conflict`. After `outcome_unknown` the message may be stored: look
  /// for its id.
  Result<Position> append(Channel const& channel, ChannelMessage const& message);

  /// Reads a page of a channel. `not_found` if the channel has no messages. A line that gives no message is
  /// skipped and reported. An incomplete last line is ignored, because a writer may be completing it.
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
