// SPDX-License-Identifier: MIT
#pragma once
#include "naming.hpp"

#include <sessionkit/copy.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cli {

/// One side of copying.
struct Side {
  StorePtr store;
  std::string name;
};

/// The result for a session, or the expected result.
struct Copy {
  sessionkit::SessionId id;
  std::string result;
  sessionkit::CopiedLog log = {};
  std::optional<Failure> failure = {};
};

/// Copies a session, or (`--dry-run`) only compares it; the answer contains a failure.
Copy copy_one(Arguments const& args, Side const& from, Side const& to, sessionkit::SessionId const& id,
              sessionkit::CopyProgress const& progress = {});

/// Reports what a person should know about a copy beside its result.
void notice(Console& console, Copy const& copy, Side const& to);

/// Session, result, lines, written.
std::vector<std::string> row_of(Copy const& copy);
Json json_of(Copy const& copy);

/// "3 session(s), 2 copied, 1 same".
std::string summary_of(std::vector<Copy> const& copies, bool dry_run);
Exit exit_of(std::vector<Copy> const& copies);

/// The store to copy into, created if it is missing; `--dry-run` uses an empty one instead.
Side open_target(Console& console, Arguments const& args, StoreAddress const& address);

}
