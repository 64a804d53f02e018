// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `walk_path` calls this for each record on the path, newest first. False ends the walk.
using OnPath = std::function<bool(RecordPage const&, RecordPage::Item const&)>;
/// `walk_path` calls this with the id of a parent that is missing. False ends the walk.
using OnBreak = std::function<bool(std::string const& parent)>;

struct WalkResult {
  bool found = false;    ///< the leaf was found
  bool doubtful = false; ///< a record was torn or a parent missing; a walk over whole lines may find more
  Position end = {};
  std::vector<Damage> damage = {};
};

/// Follows parents from `leaf` to the first entry. An empty `leaf` means the last entry. Reads pages
/// backwards, and only the heads of records. If a parent is missing or comes after its child, the entry
/// directly before the child in the log replaces the parent, and `damage` reports this. Positions decrease
/// with each step, so that a cycle cannot make the walk endless. All such breaks together cost one more
/// reading of the heads. `heads_only` has the same meaning as in `ReadRange`. A caller that sets it decodes
/// the records itself. If a record cannot be decoded or the walk was doubtful, the caller must walk again
/// without `heads_only`.
Result<WalkResult> walk_path(SessionStore& store, SessionId const& id, EntryId const& leaf,
                             OnPath const& on_path, OnBreak const& on_break = {}, bool heads_only = false);

/// The damage to report for a record that its dialect cannot decode.
Damage undecodable_line(RecordPage::Item const& item, Error const& error);

/// Calls `visit` for every record, oldest first, until `visit` returns false.
Result<WalkResult> for_each_record(SessionStore& store, SessionId const& id, std::optional<Position> from,
                                   OnPath const& visit);

}}}
