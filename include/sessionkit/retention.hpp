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

/// The limits above which sessions are removed. If no limit is set, no session is removed. Reading a session,
/// listing it and rebuilding an index do not change its times.
struct RetentionPolicy {
  /// The longest time since a session's last entry of any type; 0: no limit.
  std::chrono::milliseconds idle{0};
  /// The longest time since a session was created; 0: no limit. It also applies to sessions in use.
  std::chrono::milliseconds age{0};
  /// The largest number of sessions, including protected ones; 0: no limit. The sessions of `state_key` are
  /// not counted.
  std::size_t max_sessions = 0;
  /// `max_sessions` takes effect only if there are more than `max_sessions` + `slack` sessions. Then sessions
  /// are removed until `max_sessions` remain.
  std::size_t slack = 0;
  /// The largest size of all logs together, as the sum of their end positions (bytes in stores of files); 0:
  /// no limit.
  std::uint64_t max_bytes = 0;
  /// The sessions with these keys always stay. The sessions of `state_key` also always stay.
  std::vector<std::string> protected_keys = {};
  /// Returns true if this session must always stay. The function is called only for sessions that exceed a
  /// limit. It may be called again for each limit.
  std::function<bool(SessionInfo const&)> is_protected = {};
  /// Returns true if this session is neither counted nor removed.
  std::function<bool(SessionInfo const&)> is_excluded = {};
};

/// The limit that a session exceeds.
enum class RetentionReason {
  idle,  ///< `RetentionPolicy::idle`
  age,   ///< `RetentionPolicy::age`
  count, ///< `RetentionPolicy::max_sessions`
  bytes, ///< `RetentionPolicy::max_bytes`
};
/// Returns the enumerator's name, for example "idle". Never null.
SESSIONKIT_API char const* to_string(RetentionReason) noexcept;

/// A session to remove, and the state of its log when this was decided.
struct Removal {
  SessionId id;                                   ///< the session to remove
  std::string key = {};                           ///< its key; empty if it has none
  RetentionReason reason = RetentionReason::idle; ///< the limit that it exceeds
  std::string why = {};                           ///< the reason as one sentence with the numbers
  Timestamp updated = {};                         ///< `SessionInfo::updated` when the plan was made
  Position end = {};         ///< `SessionInfo::end` at the same time; if it has changed, the session stays
  std::uint32_t end_crc = 0; ///< `SessionInfo::end_crc` at the same time, with the same effect
};

/// The plan: the sessions to remove.
struct RetentionPlan {
  std::vector<Removal> removals = {}; ///< oldest first within each reason
  std::size_t kept = 0;               ///< the number of sessions that stay, without those that are excluded
};

/// Decides which sessions to remove. The function is pure. Sessions that exceed `idle` are removed first,
/// then those that exceed `age`. Of the other sessions, those with the oldest last entry are removed until
/// the limits `max_sessions` and `max_bytes` are met. A session without a time never exceeds `idle` or `age`.
/// `max_sessions` and `max_bytes` remove sessions without a time first.
SESSIONKIT_API RetentionPlan plan_retention(std::vector<SessionInfo> const& sessions,
                                            RetentionPolicy const& policy, Timestamp now);
/// The same for all sessions of a store. This includes archived sessions, but not the transcripts of other
/// programs. Errors are those of `list`.
SESSIONKIT_API Result<RetentionPlan> plan_retention(SessionStore& store, RetentionPolicy const& policy,
                                                    Timestamp now);

/// The outcome of a plan.
struct RetentionOutcome {
  /// A session that could not be removed, and why.
  struct Failed {
    SessionId id; ///< the session, which still exists
    Error error;  ///< the failure of `info` or `remove`
  };
  std::vector<SessionId> removed = {}; ///< the removed sessions; a store that has a trash moved them there
  std::vector<SessionId> skipped = {}; ///< sessions that were written since the plan, or that no longer exist
  std::vector<Failed> failed = {}; ///< sessions that could not be removed; a failure does not stop the others
};

/// Carries out a plan. If the log of a session has changed since the plan was made, the session stays. Each
/// removal is reported as `Event::retention` with its reason. No program should have these sessions open. If
/// the log of a `Session` object was removed, the calls of this object fail with `not_found` or `conflict`.
SESSIONKIT_API RetentionOutcome apply_retention(SessionStore& store, RetentionPlan const& plan,
                                                OnEvent const& on_event = {});

}}
