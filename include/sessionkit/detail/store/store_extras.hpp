// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <memory>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What stores of files can do in addition to the five functions of `SessionStore`. A store gives it to the
/// constructor of `SessionStore`, so that it is found without the type information of the compiler.
class SESSIONKIT_API StoreExtras {
 public:
  virtual ~StoreExtras() = default;
  /// Keeps other writers out of the session until the object that it returns is destroyed.
  virtual Result<std::shared_ptr<void>> hold(SessionId const& id) = 0;
  /// True if each `Session` holds its session.
  virtual bool is_exclusive() const noexcept = 0;
  /// How far the session is on the disk.
  virtual Result<Position> durable_position(SessionId const& id) = 0;
  /// The path of the session's transcript in a store of many; else empty.
  virtual std::string transcript_path(SessionId const&) const { return {}; }
  /// The session of a store that is one transcript.
  virtual std::optional<SessionId> only_session() const { return std::nullopt; }
};

/// Null if the store has none.
inline StoreExtras* extras_of(SessionStore const& store) noexcept { return store.extras_; }

}}}
