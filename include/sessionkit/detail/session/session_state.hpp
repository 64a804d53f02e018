// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/random_ids.hpp>
#include <sessionkit/detail/compaction/breaker.hpp>
#include <sessionkit/detail/history/long_context.hpp>
#include <sessionkit/detail/session/kept_request.hpp>
#include <sessionkit/detail/session/pending_messages.hpp>
#include <sessionkit/detail/session/session_tail.hpp>
#include <sessionkit/lease.hpp>
#include <sessionkit/session.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 {

namespace detail {
/// Returns the error of every call on an empty session object.
Error empty_session();
/// True if a line can represent the time.
bool is_writable_time(Timestamp at) noexcept;
Error unwritable_time(SessionId const& id, Timestamp at);
}

/// The parts of a session object: the end of its log, the messages that are not in the log, and the
/// compaction breaker. The profile decides which messages are stored, and when.
struct Session::State {
  State(std::shared_ptr<SessionStore> store, SessionId id, SessionOptions chosen)
      : State(std::move(store), std::move(id), std::move(chosen), native_dialect(), std::nullopt) {}
  /// For a session that is being created. `chosen_profile` replaces the profile of the options and the store.
  State(std::shared_ptr<SessionStore> store, SessionId id, SessionOptions chosen, Dialect const& dialect,
        std::optional<Profile> chosen_profile)
      : options(std::move(chosen)),
        profile(chosen_profile    ? *chosen_profile
                : options.profile ? *options.profile
                                  : store->profile()),
        tail(std::move(store), std::move(id), options.on_event, dialect),
        pending(profile),
        last_request(options.kept_request) {}
  State(State const&) = delete;
  State& operator=(State const&) = delete;
  /// Stores tool results that waited for further results. Errors are ignored, because a destructor cannot
  /// report them.
  ~State();

  SessionOptions options;
  Profile profile;
  std::optional<Lease> lease = {}; ///< set if the store is exclusive; destroyed after the members below
  detail::SessionTail tail;
  detail::PendingMessages pending;
  detail::KeptRequest last_request;
  detail::CompactionBreaker breaker = {};
  detail::RandomIds random_ids = {}; ///< of entries, if `options` give none
  bool in_turn = false;
  std::uint64_t writes_before_turn = 0;

  /// Keeps other writers out if the store is exclusive.
  Result<void> take_lease();

  Timestamp now() const { return options.clock ? options.clock() : system_now(); }
  void tell(Event::Kind kind, std::string message) const {
    if (options.on_event) options.on_event({kind, tail.id().str(), std::move(message)});
  }

  /// Returns the target, with the choices of the profile for everything that `target` leaves open.
  Target own_target(Target target) const;

  /// Adds messages to the conversation. The profile decides for each message: it is stored as an entry, held
  /// back, or kept out of the log. A final answer ends the turn if no `Turn` is open.
  Result<std::vector<EntryId>> append_messages(std::vector<Message> const& messages,
                                               AppendOptions const& named);
  /// Stores the bodies as entries, one after the other, after the leaf. Returns their ids.
  Result<std::vector<EntryId>> append_entries(std::vector<EntryBody> bodies,
                                              detail::AppendRequest const& request);
  Result<void> append_entry(EntryBody body);
  /// Appends an entry that changes the session's row. Outside a turn, the entry is durable when the call
  /// returns, so that other programs find the change in the index. (The end of a turn is durable in the same
  /// way.)
  Result<void> append_metadata(EntryBody body);
  /// Stores results that wait for further results, if the profile stores messages without delay.
  Result<void> store_waiting();

  /// Calls `visit` for each entry up to the leaf, newest first, until `visit` returns false. Messages that
  /// are not in the log are included.
  Result<void> walk_back(std::function<bool(Entry const&)> const& visit) const;
  /// The entries from the first one to the leaf, with the messages that are not in the log.
  Result<std::vector<Entry>> path_with_pending() const;

  /// The context, with the messages that are not in the log.
  Result<Context> context() const;
  /// The same; `limit` is that of `load_newest`.
  Result<detail::LongContext> long_context(std::size_t limit) const;
  /// Makes a request from nothing. Keeps its messages in `kept`, if this is not null.
  Result<RequestPieces> new_request(Target const& own, detail::KeptRequest* kept) const;

  void begin_turn();
  /// Stores the messages that are held back. After this call they are as durable as the store's options say.
  Result<void> end_turn();
  /// True if no entry of the turn is in the log.
  bool left_no_trace() const noexcept;

  /// Counts a compaction that failed or saved nothing. Opens the breaker if there were too many in a row.
  void compaction_failed(CompactionPlan const& plan);
  /// Stores a compaction after the leaf. Fails with `conflict` if another entry was appended first.
  Result<void> store_compaction(CompactionPlan const& plan, Compaction body, Context const& seen);

 private:
  Result<std::vector<EntryId>> hold_messages(std::vector<Message> const& messages,
                                             detail::AppendRequest const& request);
  Result<std::vector<EntryId>> hold_and_store(std::vector<Message> const& messages,
                                              detail::AppendRequest const& request);
  Result<std::vector<EntryId>> store_pending(detail::AppendRequest request);
  Result<bool> stores_now(bool durable);
  Result<std::vector<Entry>> entries_of(std::vector<EntryBody> bodies, detail::AppendRequest const& request);
  void complete(Context& context) const;
  Result<std::optional<RequestPieces>> request_in_parts(Target const& own, detail::KeptRequest& kept,
                                                        detail::LongContext all) const;
};

}}
