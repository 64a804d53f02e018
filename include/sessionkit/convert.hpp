// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/dialect.hpp>

#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// A piece of data that a conversion lost.
struct Loss {
  EntryId entry = {}; ///< empty: the loss concerns the complete log
  std::string what;   ///< one sentence that describes the loss
};

/// The result of `convert_log`.
struct Converted {
  std::string text;              ///< the whole file
  std::vector<Loss> losses = {}; ///< in the order of the log; empty: nothing was lost
};

/// Writes a log of the dialect `from` in the dialect `to`. Pure. `Converted::losses` lists everything that
/// `to` cannot represent. If the header has no id, `id` names the session. Fails with `unsupported` if this
/// library cannot write `to`.
///
/// If `to` is the same dialect as `from`, lines that were kept (`LogLines::kept`) are copied unchanged,
/// except lines with repeated ids and lines of versions before 3. If `to` has no ids, only the path to the
/// last entry is written, and the other branches are listed as losses. If `to` has ids and an entry has none,
/// the entry gets a short id. Each conversion of the log gives this entry the same id.
SESSIONKIT_API Result<Converted> convert_log(Log const& log, Dialect const& from, Dialect const& to,
                                             SessionId const& id);

}}
