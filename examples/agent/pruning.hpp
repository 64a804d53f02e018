// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/retention.hpp>

#include <cstddef>
#include <functional>

namespace agent {

/// Which sessions a program removes by itself. By default none.
struct PruneRule {
  std::size_t idle_days = 0;    ///< those without an entry for so many days; 0: no limit
  std::size_t max_sessions = 0; ///< the oldest above this number; 0: no limit

  bool removes() const noexcept { return idle_days != 0 || max_sessions != 0; }
};

/// Calls `remove`, unless somebody uses the session; then it returns false. It is also called with an empty
/// `remove`, to learn which sessions are in use.
using IfUnused = std::function<bool(sessionkit::SessionId const& id, std::function<void()> const& remove)>;

/// Removes the sessions that the rule names and `counts` accepts, and calls `removed` for each. Sessions in
/// use stay, and count as sessions that are kept. A session that cannot be removed does not stop the others:
/// it goes to `failed`. Without `failed`, the first such error is the result. Other errors are those of
/// `list`; nothing is removed then.
sessionkit::Result<void>
prune(sessionkit::SessionStore& store, PruneRule const& rule,
      std::function<bool(sessionkit::SessionInfo const&)> const& counts, IfUnused const& if_unused,
      std::function<void(sessionkit::Removal const&)> const& removed,
      std::function<void(sessionkit::RetentionOutcome::Failed const&)> const& failed = {});

}
