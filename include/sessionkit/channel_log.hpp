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

/// Where people talk to an agent: `{"telegram", "-10042"}`, `{"web", "shop"}`. A type is letters, digits and
/// `_`; an id is any text that is not empty.
struct Channel {
  std::string type, id;
  /// The channel's name in its lines: `telegram-42`.
  std::string name() const { return type + "-" + id; }
  friend bool operator==(Channel const& a, Channel const& b) { return a.type == b.type && a.id == b.id; }
  friend bool operator!=(Channel const& a, Channel const& b) { return !(a == b); }
};

/// What was said in a channel, and by whom.
struct ChannelMessage {
  std::string role;        ///< "user" or "assistant"
  std::string content;     ///< UTF-8; other bytes are stored as U+FFFD
  std::string sender = {}; ///< the person, as the channel calls them; may be empty
  Timestamp at = {};       ///< absent (1970): the time it is stored
  /// Distinguishes it from others that say the same at the same time. Absent: a fresh one. Lines of other
  /// programs have none.
  std::string id = {};
  RawJson extra = {}; ///< null or an object: members that have no place above; they never replace those
};

/// How channel logs are written and read.
struct ChannelLogOptions {
  /// Each message survives power loss once it is acknowledged. False: the operating system has it.
  bool durable = true;
  std::chrono::milliseconds lock_wait{5000}; ///< how long to wait for another writer: then `timed_out`
  std::uint64_t max_line =
      default_max_line;  ///< longer lines are passed over on reading and refused on writing; bytes
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
  std::optional<std::string> sender = {}; ///< only what this person said
};
/// Some messages of a channel.
struct ChannelPage {
  std::vector<ChannelMessage> messages = {}; ///< in the order asked for
  std::vector<Damage> damage = {};           ///< lines that give no message, in the order met
  bool more = false;                         ///< there may be more in this direction
  Position next = {};                        ///< `ChannelQuery::from` of the following page
};

/// The row of a list of channels.
struct ChannelSummary {
  Channel channel;
  std::uint64_t messages = 0, damaged = 0, bytes = 0;
  Timestamp first = {}, last = {}; ///< of the messages at either end
};

/// What was said in each channel of an agent, for its administrator: append-only files beside the sessions,
/// `<directory>/telegram-42.jsonl`, one message a line, as ZyHive and ai-panel write and read them
/// (pkg/convlog there). No session, history or store shows it, so no model ever sees it.
///
/// Several processes may write to one directory. Safe to call from several threads at once; copies are the
/// same log. A process that was forked opens its own (`forked`).
class SESSIONKIT_API ChannelLog {
 public:
  /// `not_found` (and not `create`), `unsafe_path`, `io_error`.
  static Result<ChannelLog> open(std::string const& directory, ChannelLogOptions options = {});
  /// `<home>/agents/<agent>/convlogs`, beside the sessions of `open_agent_store`. `invalid_argument` if the
  /// agent's name has not the shape of a `SessionId`.
  static Result<ChannelLog> open_agent(std::string const& home, std::string const& agent,
                                       ChannelLogOptions options = {});

  /// Stores a message after all others of its channel and returns where it ends. Torn bytes that a crash left
  /// there are closed off and stay (`Event::tail_sealed`). `invalid_argument` for a channel or `extra` of
  /// another shape, or a line over `max_line`; else the errors of `TranscriptWriter::append`, `conflict` only
  /// where others never stop writing. After `outcome_unknown` the message may be stored: look for its id.
  Result<Position> append(Channel const& channel, ChannelMessage const& message);

  /// A page of a channel. `not_found` if nothing was ever said there. A line that gives no message is skipped
  /// and reported; one without its end is not there yet.
  Result<ChannelPage> read(Channel const& channel, ChannelQuery const& query = {}) const;

  /// All channels, by name. Reads every file once; files with a name that is no channel's are skipped.
  Result<std::vector<ChannelSummary>> list() const;

 private:
  friend struct ChannelLogAccess;
  struct State;
  explicit ChannelLog(std::shared_ptr<State> state) noexcept;
  std::shared_ptr<State> state_;
};

}}
