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

/// What `walk_path` calls for each record on the path, newest first; false: far enough.
using OnPath = std::function<bool(RecordPage const&, RecordPage::Item const&)>;
/// What it calls where a parent is missing, with that parent's id; false: far enough.
using OnBreak = std::function<bool(std::string const& parent)>;

struct WalkResult {
  bool found = false;    ///< the leaf was met
  bool doubtful = false; ///< a record was torn, or a parent missing: a look at whole lines may find more
  Position end = {};
  std::vector<Damage> damage = {};
};

/// Follows parents from `leaf` (empty: the last entry) to the first entry, reading pages backwards, heads
/// only. Where a parent is missing or comes after its child, the entry before the child in the log takes
/// its place, and `damage` says so. Positions fall with each step, so no cycle can hold it; the cost of any
/// number of breaks is one more reading of the heads. `heads_only` as in `ReadRange`: a caller that sets it
/// decodes the records, and walks again without where one cannot be decoded or the walk was doubtful.
Result<WalkResult> walk_path(SessionStore& store, SessionId const& id, EntryId const& leaf,
                             OnPath const& on_path, OnBreak const& on_break = {}, bool heads_only = false);

/// The finding for a record whose line its dialect refused.
Damage undecodable_line(RecordPage::Item const& item, Error const& error);

/// Calls `visit` for every record, oldest first, until it answers false.
Result<WalkResult> for_each_record(SessionStore& store, SessionId const& id, std::optional<Position> from,
                                   OnPath const& visit);

}}}
