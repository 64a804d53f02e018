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

/// How long sessions stay. None is removed unless one of the limits is set. Ages count from the last entry of
/// the log, whatever it says: reading, listing and rebuilding an index make no session younger.
struct RetentionPolicy {
  std::chrono::milliseconds idle{0}; ///< longer than this since the last entry; 0: no limit
  std::chrono::milliseconds age{0};  ///< longer than this since it was created, however busy; 0: no limit
  std::size_t max_sessions = 0;      ///< 0: no limit; protected ones count
  std::size_t slack = 0;             ///< over `max_sessions` by more than this: cut down to `max_sessions`
  std::uint64_t max_bytes = 0;       ///< of all logs, by their end positions (bytes in files); 0: no limit
  std::vector<std::string> protected_keys = {};              ///< their sessions stay whatever the limits say
  std::function<bool(SessionInfo const&)> is_protected = {}; ///< the same for any other mark
  std::function<bool(SessionInfo const&)> is_excluded = {};  ///< these are neither counted nor removed
};

/// Which limit of the policy a session is over.
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

/// The sessions to remove, decided.
struct RetentionPlan {
  std::vector<Removal> removals = {}; ///< oldest first within each reason
  std::size_t kept = 0;
};

/// Decides which sessions go. Pure. Idle ones first, then old ones; of what remains the oldest by last entry
/// until the caps hold. A session without a time is never too old, and is the first a cap takes.
SESSIONKIT_API RetentionPlan plan_retention(std::vector<SessionInfo> const& sessions,
                                            RetentionPolicy const& policy, Timestamp now);
/// The same for all sessions of a store, archived ones included, but for transcripts of another program.
/// Errors are those of `list`.
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
  std::vector<SessionId> skipped = {}; ///< somebody wrote to them since, or they are gone already
  std::vector<Failed> failed = {};     ///< still there; the others were tried all the same
};

/// Carries a plan out. A session whose log is no longer as planned stays. Each removal is an
/// `Event::retention` with its reason. Nobody should have the sessions open: a session object whose log is
/// removed under it answers `not_found` or `conflict`.
SESSIONKIT_API RetentionOutcome apply_retention(SessionStore& store, RetentionPlan const& plan,
                                                OnEvent const& on_event = {});

}}
