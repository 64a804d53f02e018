// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/dialects/encoded_entries.hpp>
#include <sessionkit/event.hpp>
#include <sessionkit/session.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The options of an append.
struct AppendRequest {
  std::optional<EntryId> id = {}; ///< chosen by the caller; entries already in the log are not stored again
  bool durable = false;
  OnConflict on_conflict = OnConflict::rebase;
  bool saw_others = false;            ///< true: the caller has seen the entries that others wrote meanwhile
  std::optional<Timestamp> time = {}; ///< the time of the entries; absent: the clock gives it
};

/// What must not exist when a session is created. The members are as in `Append`.
struct StartRules {
  std::string_view unless_active = {};
  bool only_new = false;
};

/// The end of a session's log, as one session object knows it. This class appends after the leaf. If other
/// writers appended first, it does what `AppendRequest::on_conflict` says. It completes appends whose outcome
/// is unknown, and reads entries of others.
class SessionTail {
 public:
  SessionTail(std::shared_ptr<SessionStore> store, SessionId id, OnEvent on_event,
              Dialect const& dialect = native_dialect())
      : store_(std::move(store)), id_(std::move(id)), on_event_(std::move(on_event)), dialect_(&dialect) {}

  std::shared_ptr<SessionStore> const& store() const noexcept { return store_; }
  SessionId const& id() const noexcept { return id_; }
  Dialect const& dialect() const noexcept { return *dialect_; }
  EntryId const& leaf() const noexcept { return leaf_; }
  Position end() const noexcept { return end_; }
  /// Returns the number of batches that this object appended. The batch of `create` does not count.
  std::uint64_t writes() const noexcept { return writes_; }
  /// True if the outcome of the last append is unknown.
  bool in_doubt() const noexcept { return in_doubt_.has_value(); }

  /// Finds the end of an existing log and its last entry.
  Result<void> locate();
  /// Creates the log with its header and, for a fork, the copied entries.
  Result<void> create(Entry header, Batch taken_over, StartRules const& rules = {});

  /// Fails if this request may not append entries now.
  Result<void> check_append(AppendRequest const& request);
  /// Stores the entries one after the other, after the leaf. Returns their ids.
  Result<std::vector<EntryId>> append(std::vector<Entry> drafts, AppendRequest const& request);
  /// Makes the stored entries survive power loss.
  Result<void> sync();

  /// Reads the entries that others appended, and keeps them for `take_unseen`. The leaf moves to the end of
  /// the log.
  Result<void> catch_up();
  /// The entries of others that the caller has not received yet, oldest first.
  std::vector<Entry> take_unseen() { return std::exchange(unseen_, {}); }
  /// True if the last line that this object knows is still at its place. If not, the log was replaced.
  Result<bool> still_ours() const;
  /// Makes this entry the leaf, which the next entry will follow.
  void set_leaf(EntryId leaf) { leaf_ = std::move(leaf); }

  /// The summary of the stored log. Calls the store only if this object has no summary.
  Result<SessionInfo> info();
  /// Sets the summary, which comes from the store's list, so that `info` need not call the store.
  void set_info(SessionInfo info) { info_ = std::move(info); }
  /// Searches for an entry by id, newest first. Absent if the log has no such entry.
  Result<std::optional<Entry>> find(EntryId const& entry) const;
  /// Looks at the calls of the last answer on the path to the leaf. Returns the ids of the calls without a
  /// result.
  Result<std::vector<std::string>> unanswered_calls() const;

 private:
  Result<std::vector<EntryId>> append_new(std::vector<Entry> const& drafts, AppendRequest const& request);
  Result<Position> write(Batch const& batch, bool durable, StartRules const& rules = {});
  std::vector<EntryId> advance(Batch const& batch, Position at);
  std::vector<EntryId> ids_by_place(Batch const& batch, Position at) const;
  Result<std::optional<std::vector<EntryId>>> settle_doubt(std::vector<Entry> const& drafts, bool durable);
  Result<std::vector<EntryId>> already_stored(std::vector<Entry> const& drafts);
  Result<void> learn_ids();
  Result<bool> leads_to_leaf(EntryId const& entry) const;
  Result<void> check_first_lines();
  Result<void> check_native_header(RecordPage const& page) const;
  Result<std::vector<Entry>> read_on(bool* replaced = nullptr);

  std::shared_ptr<SessionStore> store_;
  SessionId id_;
  OnEvent on_event_;
  Dialect const* dialect_;
  EntryId leaf_ = {};
  Position end_ = {};
  std::optional<std::uint32_t> end_crc_ = {}; // checksum of the last line: logs of equal length may differ
  std::optional<SessionInfo> info_ = {};      // absent: ask the store
  std::optional<Batch> in_doubt_ = {};        // a batch that may be in the log (`outcome_unknown`)
  std::optional<std::unordered_set<std::size_t>> known_ids_ = {}; // hashes; set after a caller chose an id
  std::vector<Entry> unseen_ = {};
  std::uint64_t writes_ = 0;
  bool may_append_ = false; // the log's first lines were checked, so we may append
};

}}}
