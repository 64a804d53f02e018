// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/lease.hpp>

#include <memory>
#include <optional>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A function that a store has in addition to the five of `SessionStore`, if it can keep other writers out of
/// a session.
class SESSIONKIT_API LeasedStore {
 public:
  virtual ~LeasedStore() = default;
  /// Keeps other writers out of the session until the object that it returns is destroyed.
  virtual Result<std::shared_ptr<void>> hold(SessionId const& id) = 0;
  /// True if each `Session` holds its session.
  virtual bool is_exclusive() const noexcept = 0;
};

/// The lease of a `Session`; absent if the store is not exclusive.
SESSIONKIT_API Result<std::optional<Lease>> lease_of_session(SessionStore& store, SessionId const& id);

}}}
