// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

// A history without a compaction may be much longer than what a program wants to have in memory as entries.
// Its newest entries are read first, and the others afterwards, from the first one on and some at a time.

namespace sessionkit { inline namespace v0 { namespace detail {

/// A context of which only the newest entries were decoded.
struct LongContext {
  Context newest = {};              ///< the complete context if `older` is empty
  std::vector<Position> older = {}; ///< the ends of the entries before the newest ones, oldest first
  std::uint64_t older_bytes = 0;    ///< the length of their lines
};

/// Does the same as `load_context`. But if the lines of the context are longer than `limit` bytes, it may
/// decode only the newest entries, and find the others. If the context has a compaction or damage, it decodes
/// all.
SESSIONKIT_API Result<LongContext> load_newest(SessionStore& store, SessionId const& id, EntryId const& leaf,
                                               std::size_t limit);

/// Decodes the older entries, oldest first, and calls `visit` for some of them at a time, until it returns
/// false. Returns false if `visit` did, or if the log has anything that only `load_context` can judge.
SESSIONKIT_API Result<bool> read_older(SessionStore& store, SessionId const& id, LongContext const& context,
                                       std::function<bool(std::vector<Entry>)> const& visit);

}}}
