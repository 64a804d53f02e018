// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace sessionkit { inline namespace v0 {

/// What was added to a log since the last look.
struct LogNews {
  /// What became of the log itself.
  enum Change {
    none,
    removed,  ///< the session is not there any more; reported once
    replaced, ///< another log is there: it is followed from `from` on, records come with the next call
  };
  Change change = none;
  RecordPage page = {}; ///< records in the order of the log; without torn bytes that somebody may be writing
  Position from = {}; ///< where it goes on: after the line seen last, or `Position{}` where that is gone too
};

/// Follows the log of one session as it grows, also when another thread or process appends to it. Each record
/// is reported once, in order, and only when its line is whole. It holds no lock and no descriptor between
/// calls. One thread at a time.
class SESSIONKIT_API LogFollower {
 public:
  /// Reports the records that end after `from`.
  LogFollower(std::shared_ptr<SessionStore> store, SessionId id, Position from = {});

  /// What came since the last call; an empty page and no `change` mean nothing. If nothing came, it costs one
  /// small read of the store. The errors of `SessionStore::read`; `not_found` only if the session was never
  /// seen. After an error it may be called again, and nothing is left out.
  Result<LogNews> next();

  /// Where the next call goes on.
  Position position() const noexcept { return from_; }

 private:
  // The record reported last: it distinguishes another log from the same one that grew.
  struct Witness {
    EntryId id = {};
    Position end = {};
    std::uint32_t crc = 0;
  };

  Result<void> meet();
  Result<bool> is_unchanged();
  Result<LogNews> start_over();
  void remember(RecordPage::Item const& item);

  std::shared_ptr<SessionStore> store_;
  SessionId id_;
  Position from_, seen_end_ = {};
  Witness last_ = {};
  bool met_ = false, gone_ = false;
};

/// Calls `take` with everything that comes, and `wait` when there is nothing new, until one of them returns
/// false; the caller decides how long to wait, and for what. The first error ends it too.
SESSIONKIT_API Result<void> follow(LogFollower& follower, std::function<bool(LogNews const&)> const& take,
                                   std::function<bool()> const& wait);

}}
