// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/entry.hpp>
#include <sessionkit/profile.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True if a message is stored under this policy, so that every reader of the log sees the message.
bool is_kept(Message const& message, ToolPolicy policy) noexcept;

/// Messages of the conversation that are not in the log. Some are held back until they are stored. The
/// profile never stores the rest; they stay in the view (the conversation as this session object has it) as
/// long as the session object exists. This class neither reads nor writes a log.
class SESSIONKIT_API PendingMessages {
 public:
  explicit PendingMessages(Profile const& profile) noexcept
      : tools_(profile.tools), joins_users_(profile.consecutive_user == ConsecutiveUser::join) {}

  /// A message for one entry.
  struct Draft {
    Message message;
    bool kept;    ///< the entry will be stored
    bool in_loop; ///< the message is part of a tool loop: the model will continue after it
  };
  /// Splits messages as the dialect needs them, and notes their calls and results. If the profile stores
  /// calls for display, they are added to the answer to which they led.
  std::vector<Draft> prepare(std::vector<Message> const& messages, Dialect const& dialect);

  /// Holds an entry back, or joins it with the previous entry if the dialect and the profile do so. Returns
  /// the index of the entry in the list of held entries. If the dialect cannot represent some parts of an
  /// answer, the view keeps these parts, and the line will lack them.
  std::size_t hold(Entry entry, Draft const& draft, Dialect const& dialect);
  /// Notes that a caller chose the id of a held entry. Before the entry is stored, the log is searched for
  /// the id.
  void note_named() noexcept { named_ = true; }

  bool holds_any() const noexcept { return !held_.empty(); }
  /// The number of held entries.
  std::size_t held() const noexcept { return held_.size(); }
  /// True if the view differs from the log only by the held entries at its end.
  bool is_as_stored() const noexcept { return aside_.empty() && loop_.empty(); }
  /// True if at least one held entry will be stored.
  bool holds_kept() const noexcept;
  bool holds(EntryId const& id) const noexcept;
  EntryId const& id_at(std::size_t place) const noexcept { return held_[place].entry.id; }
  /// Returns the held entries that will be stored, in order and in the form of their lines.
  std::vector<Entry> kept() const;
  /// The id for which the log is searched before the held entries are stored; absent if no caller chose one.
  std::optional<EntryId> named() const;

  /// The state that a failed call restores, so that the call can be repeated.
  struct Snapshot;
  Snapshot snapshot() const;
  void restore(Snapshot before);

  /// True if the last held message has results, and another call of the same answer still has no result. If
  /// the answer is already in the log, `set_stored_calls` names its calls.
  bool awaits_results(Dialect const& dialect) const;
  /// True if `awaits_results` needs the calls of an answer in the log, and `set_stored_calls` was not called
  /// yet.
  bool needs_stored_calls(Dialect const& dialect) const noexcept;
  /// Sets the ids of the calls in the log that have no result there.
  void set_stored_calls(std::vector<std::string> calls) { stored_calls_ = std::move(calls); }

  /// Notes that the entries of `kept()` were stored under these ids, after the entry `after`. After this call
  /// nothing is held back. Returns one id for each entry that was held. Parts that lines lack stay in the
  /// view until their tool loop ends.
  std::vector<EntryId> release(std::vector<EntryId> const& stored, EntryId after);
  /// Ends a tool loop. Removes from the view the parts that lines lack, because no tool loop needs them any
  /// more.
  void end_loop();
  /// Returns the parts that were left out of lines so far, oldest first.
  std::vector<LeftOut> const& left_out() const noexcept { return left_out_; }

  /// Begins a turn. `drop_turn` drops everything that is held after this call.
  void begin_turn() noexcept;
  /// Gives up the turn and drops its messages. Unanswered messages of the user stay if the profile joins them
  /// with the next message and `keeps_unanswered` is true.
  void drop_turn(bool keeps_unanswered = true);

  /// Calls `visit` for each held entry, newest first, until `visit` returns false. Returns false in this
  /// case.
  bool visit_held(std::function<bool(Entry const&)> const& visit) const;
  /// Does the same for the entries that are never stored and that follow the entry `after`.
  bool visit_aside(EntryId const& after, std::function<bool(Entry const&)> const& visit) const;
  /// Does the same for all entries that are never stored.
  bool visit_all_aside(std::function<bool(Entry const&)> const& visit) const;
  /// Returns a stored entry. If its line lacks parts of the model's message, the entry has the complete
  /// message until the tool loop ends.
  Entry as_said(Entry entry) const;

  /// Adds the pending messages to a context, each at its place.
  void add_to(Context& context) const;
  /// Removes the pending messages from a context.
  void remove_from(Context& context) const;

 private:
  struct Pending {
    Entry entry;
    bool kept;          // false: never stored
    EntryId after = {}; // if the entry is never stored: the stored entry before it
    bool in_loop = false;
    bool until_loop_ends = false;           // never stored, because its line would be empty
    std::optional<Message> line = {};       // the message that is stored in place of the entry's message
    std::vector<std::string> left_out = {}; // the names of the parts that the line lacks
  };
  struct LoopView {
    EntryId entry;
    Message message; // the complete message of the model
  };
  using Exchange = std::pair<ToolUse, std::optional<ToolResult>>;

  void note_exchanges(Message const& message);
  void show_exchanges(Message& answer);
  bool ends_in_results(Dialect const& dialect) const noexcept;
  void note_left_out(std::vector<std::string>& names, EntryId const& entry, bool was_sent);

  ToolPolicy tools_;
  bool joins_users_;
  std::vector<Pending> held_ = {};       // after the leaf, in order
  std::vector<Pending> aside_ = {};      // never stored, but part of the view
  std::vector<LoopView> loop_ = {};      // stored entries whose lines lack parts of the message
  std::vector<LeftOut> left_out_ = {};   // for the report
  std::size_t left_out_before_loop_ = 0; // how many of `left_out_` are out of the view
  std::vector<Exchange> exchanges_ = {}; // calls and results since the last answer, for display
  std::optional<std::vector<std::string>> stored_calls_ = {}; // calls in the log, while results are held
  bool named_ = false;
  std::size_t held_before_turn_ = 0, aside_before_turn_ = 0;
};

struct PendingMessages::Snapshot {
 private:
  friend class PendingMessages;
  std::vector<Pending> held_;
  std::vector<Exchange> exchanges_;
};

}}}
