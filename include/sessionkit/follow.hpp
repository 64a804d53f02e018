// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace sessionkit { inline namespace v0 {

/// The changes of a log since the last call.
struct LogNews {
  /// The change of the log as a whole.
  enum Change {
    none,     ///< the log has not changed, or has only grown
    removed,  ///< the session no longer exists; reported once
    replaced, ///< another log has replaced this one; the next call reads the new log after `from`
  };
  Change change = none; ///< the change of the log as a whole
  /// The new records, in the order of the log. An incomplete line at the end is left out, because a writer
  /// may be completing it.
  RecordPage page = {};
  /// The position at which the next call continues. It is after the last reported line, or `Position{}` if
  /// that line no longer exists.
  Position from = {};
};

/// Follows the log of one session as it grows, also when another thread or process appends to it. Each record
/// is reported once, in order, and only when its line is complete. Between calls a follower holds no lock and
/// no open file. Use a follower from one thread at a time.
class SESSIONKIT_API LogFollower {
 public:
  /// Makes a follower that reports the records that end after `from`.
  LogFollower(std::shared_ptr<SessionStore> store, SessionId id, Position from = {});

  /// Returns the records since the last call. If there are none, the page is empty and `change` is `none`;
  /// such a call costs one small read of the store. Errors are those of `SessionStore::read`, but `not_found`
  /// occurs only if the session never existed. After an error the call may be repeated, and no record is
  /// lost.
  Result<LogNews> next();

  /// The position at which the next call continues.
  Position position() const noexcept { return from_; }

 private:
  // The last reported record. It shows whether the log grew or was replaced.
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

/// Calls `take` when there are new records, and `wait` when there are none. `follow` returns when one of the
/// two functions returns false, or when an error occurs. `wait` decides how long to wait, and for what.
SESSIONKIT_API Result<void> follow(LogFollower& follower, std::function<bool(LogNews const&)> const& take,
                                   std::function<bool()> const& wait);

}}
