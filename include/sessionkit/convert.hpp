// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/dialect.hpp>

#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Something that a conversion lost.
struct Loss {
  EntryId entry = {}; ///< empty: of the log as a whole
  std::string what;   ///< one sentence
};

/// What `convert_log` made.
struct Converted {
  std::string text;              ///< the whole file
  std::vector<Loss> losses = {}; ///< in the order of the log; empty: nothing was lost
};

/// Writes a log again in another dialect. Pure: the log stays as it is. Everything that `to` cannot represent
/// is listed. If `to` is the dialect of the log, lines that the log has kept stay as they are, except for ids
/// that occur twice and versions before 3. Dialects without ids get the path to the last entry; branches
/// beside it are listed. Entries without ids get short ones, the same in each conversion. `id` names the
/// session where the header does not. `unsupported` if nothing can be written in `to`.
SESSIONKIT_API Result<Converted> convert_log(Log const& log, Dialect const& from, Dialect const& to,
                                             SessionId const& id);

}}
