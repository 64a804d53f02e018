// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/last_record.hpp>
#include <sessionkit/session_store.hpp>

#include <memory>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What stores of files can do in addition to the five functions of `SessionStore`. A store gives its
/// `StoreExtras` to the constructor of `SessionStore`. So `extras_of` can find the object without the type
/// information of the compiler.
class SESSIONKIT_API StoreExtras {
 public:
  virtual ~StoreExtras() = default;
  /// Keeps other writers out of the session until the object that it returns is destroyed.
  virtual Result<std::shared_ptr<void>> hold(SessionId const& id) = 0;
  /// True if each `Session` object holds its session as long as it exists.
  virtual bool is_exclusive() const noexcept = 0;
  /// Returns the position up to which the session is on the disk.
  virtual Result<Position> durable_position(SessionId const& id) = 0;
  /// Returns what `SessionStore::info` says of the last record, without making a summary.
  virtual Result<LastRecord> last_record(SessionId const& id) = 0;
  /// Returns the path of the session's transcript in a store of many sessions. Empty for other stores.
  virtual std::string transcript_path(SessionId const&) const { return {}; }
  /// Returns the session of a store that is one transcript. Absent for other stores.
  virtual std::optional<SessionId> only_session() const { return std::nullopt; }
};

/// Returns the extras of the store, or null if the store has none.
inline StoreExtras* extras_of(SessionStore const& store) noexcept { return store.extras_; }

}}}
