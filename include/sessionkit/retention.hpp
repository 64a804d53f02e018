// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/event.hpp>
#include <sessionkit/session_store.hpp>
#include <sessionkit/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// How long sessions stay. If no limit is set, no session is removed. Ages count from the last entry of the
/// log, of any type. Reading, listing and rebuilding an index do not change the age of a session.
struct RetentionPolicy {
  std::chrono::milliseconds idle{0}; ///< longer than this since the last entry; 0: no limit
  std::chrono::milliseconds age{
      0}; ///< longer than this since the session was created, even if it is in use; 0: no limit
  std::size_t max_sessions = 0; ///< 0: no limit; protected sessions are counted
  std::size_t slack = 0; ///< sessions are removed only if there are more than `max_sessions` + `slack`; then
                         ///< `max_sessions` stay
  std::uint64_t max_bytes = 0; ///< of all logs, by their end positions (bytes in files); 0: no limit
  std::vector<std::string> protected_keys =
      {}; ///< the sessions of these keys always stay; so do those of `state_key`
  std::function<bool(SessionInfo const&)> is_protected = {}; ///< true: this session always stays
  std::function<bool(SessionInfo const&)> is_excluded =
      {}; ///< true: this session is neither counted nor removed
};

/// The limit of the policy that a session exceeds.
enum class RetentionReason { idle, age, count, bytes };
/// The enumerator's name, for example "idle". Never null.
SESSIONKIT_API char const* to_string(RetentionReason) noexcept;

/// A session to remove, and the state of its log when this was decided.
struct Removal {
  SessionId id;
  std::string key = {};
  RetentionReason reason = RetentionReason::idle;
  std::string why = {}; ///< one sentence with the numbers
  Timestamp updated = {};
  Position end = {};
  std::uint32_t end_crc = 0;
};

/// The plan: the sessions to remove.
struct RetentionPlan {
  std::vector<Removal> removals = {}; ///< oldest first within each reason
  std::size_t kept = 0;
};

/// Decides which sessions to remove. Pure. Idle sessions are removed first, then old ones. Of the others,
/// those with the oldest last entry are removed until the limits of number and size hold. A session without a
/// time is never too old, but it is the first that these limits remove.
SESSIONKIT_API RetentionPlan plan_retention(std::vector<SessionInfo> const& sessions,
                                            RetentionPolicy const& policy, Timestamp now);
/// The same for all sessions of a store. Archived sessions are included, transcripts of other programs are
/// not. Errors are those of `list`.
SESSIONKIT_API Result<RetentionPlan> plan_retention(SessionStore& store, RetentionPolicy const& policy,
                                                    Timestamp now);

/// The outcome of a plan.
struct RetentionOutcome {
  /// A session that could not be removed, and why.
  struct Failed {
    SessionId id;
    Error error;
  };
  std::vector<SessionId> removed = {}; ///< moved to the trash where the store has one
  std::vector<SessionId> skipped = {}; ///< sessions that were written since the plan, or that no longer exist
  std::vector<Failed> failed = {}; ///< sessions that could not be removed; a failure does not stop the others
};

/// Carries a plan out. A session whose log has changed since the plan stays. Each removal is reported as
/// `Event::retention` with its reason. No program should have these sessions open: a `Session` object whose
/// log was removed answers `not_found` or `conflict`.
SESSIONKIT_API RetentionOutcome apply_retention(SessionStore& store, RetentionPlan const& plan,
                                                OnEvent const& on_event = {});

}}
