// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/dialect.hpp>

#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Something that a conversion lost.
struct Loss {
  EntryId entry = {}; ///< empty: the loss concerns the complete log
  std::string what;   ///< one sentence
};

/// The result of `convert_log`.
struct Converted {
  std::string text;              ///< the whole file
  std::vector<Loss> losses = {}; ///< in the order of the log; empty: nothing was lost
};

/// Writes a log in another dialect. Pure. Everything that `to` cannot represent is listed as a loss. If `to`
/// is the dialect of the log, the lines stay unchanged (`LogLines::kept`), except for repeated ids and for
/// versions before 3. A dialect without ids gets only the path to the last entry, and other branches are
/// listed as losses. Entries without ids get short ids, which are the same in each conversion. `id` names the
/// session if the header does not. `unsupported` if this library cannot write `to`.
SESSIONKIT_API Result<Converted> convert_log(Log const& log, Dialect const& from, Dialect const& to,
                                             SessionId const& id);

}}
