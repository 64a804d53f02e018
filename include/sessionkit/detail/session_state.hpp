// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/batch.hpp>
#include <sessionkit/session.hpp>

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Where a conversation stands, and how entries get behind it.
struct Session::State {
  State(std::shared_ptr<SessionStore> in, SessionId named, SessionOptions chosen)
      : store(std::move(in)), id(std::move(named)), options(std::move(chosen)) {}

  std::shared_ptr<SessionStore> store;
  SessionId id;
  SessionOptions options;
  Dialect const* dialect = &native_dialect();
  EntryId leaf = {};
  Position end = {};
  std::optional<SessionInfo> info = {};       ///< absent: ask the store
  std::optional<detail::Batch> in_doubt = {}; ///< may or may not stand in the log, after `outcome_unknown`
  std::optional<std::unordered_set<std::size_t>> known_ids =
      {};                         ///< hashes; made when a caller first names an id
  std::vector<Entry> unseen = {}; ///< read on the way by `append`, not yet given by `refresh`
  bool in_turn = false;
  bool may_append = false; ///< the log's first line has been looked at: it is ours to continue

  Timestamp now() const { return options.clock ? options.clock() : system_now(); }
  std::string fresh_id() const { return options.ids ? options.ids() : random_entry_id(); }

  /// What an append is to do beside storing.
  struct Plan {
    std::optional<EntryId> id = {};
    bool durable = false;
    OnConflict on_conflict = OnConflict::rebase;
  };

  /// Stores messages as entries of their own; a final answer ends the turn unless a `Turn` is open.
  Result<std::vector<EntryId>> append_messages(std::vector<Message> const& messages,
                                               AppendOptions const& named);
  /// Stores the bodies, one behind the other, behind the leaf; answers their ids.
  Result<std::vector<EntryId>> append(std::vector<EntryBody> bodies, Plan const& plan);
  Result<void> append_one(EntryBody body);
  /// Creates the session: its header and, for a fork, what it takes over.
  Result<void> begin(Entry header, detail::Batch taken_over);
  /// Makes what stands survive power loss.
  Result<void> sync();
  /// Reads what stands behind `end` and moves there.
  Result<std::vector<Entry>> refresh();
  /// Finds the end of the log and its last entry.
  Result<void> locate();
  /// An entry by id, from the newest backwards; nothing if there is none.
  Result<std::optional<Entry>> find(EntryId const& entry);

 private:
  Result<std::vector<Entry>> draft(std::vector<EntryBody> bodies, std::optional<EntryId> const& named) const;
  Result<std::vector<EntryId>> append_drafts(std::vector<Entry> const& drafts, Plan const& plan);
  Result<bool> leads_to_leaf(EntryId const& entry);
  Result<Position> write(detail::Batch const& batch, bool durable);
  Result<std::vector<EntryId>> already_stored(std::vector<Entry> const& drafts);
  Result<std::optional<std::vector<EntryId>>> settle_doubt(std::vector<Entry> const& drafts, bool durable);
  Result<void> check_header();
  std::vector<EntryId> stored(detail::Batch const& batch, Position at);
  std::vector<EntryId> ids_by_place(detail::Batch const& batch, Position at) const;
};

}}
