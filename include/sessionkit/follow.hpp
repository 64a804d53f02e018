// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace sessionkit { inline namespace v0 {

/// The records that were added to a log since the last call.
struct LogNews {
  /// Whether the log itself changed.
  enum Change {
    none,
    removed,  ///< the session no longer exists; reported once
    replaced, ///< another log has its place; it is followed from `from` on, and its records come with the
              ///< next call
  };
  Change change = none;
  RecordPage page = {}; ///< records in the order of the log, without torn bytes at its end, which a writer
                        ///< may be completing
  Position from = {}; ///< where it continues: after the last line that was reported, or `Position{}` if that
                      ///< line no longer exists
};

/// Follows the log of one session as it grows, also when another thread or process appends to it. Each record
/// is reported once, in order, and only when its line is complete. Between calls a follower has no lock and
/// no open file. Use it from one thread at a time.
class SESSIONKIT_API LogFollower {
 public:
  /// Reports the records that end after `from`.
  LogFollower(std::shared_ptr<SessionStore> store, SessionId id, Position from = {});

  /// Returns the records since the last call. An empty page without a `change` means that there are none;
  /// this costs one small read of the store. Errors are those of `SessionStore::read`; `not_found` only if
  /// the session never existed. After an error the call may be repeated, and no record is lost.
  Result<LogNews> next();

  /// Where the next call continues.
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

/// Calls `take` with all new records, and `wait` if there are none, until one of the two returns false or an
/// error occurs. `wait` decides how long to wait, and for what.
SESSIONKIT_API Result<void> follow(LogFollower& follower, std::function<bool(LogNews const&)> const& take,
                                   std::function<bool()> const& wait);

}}
