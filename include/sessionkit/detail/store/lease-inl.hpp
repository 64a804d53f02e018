// SPDX-License-Identifier: MIT
// Gives the leases of stores that have them.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/store/lease.hpp>
#include <sessionkit/detail/store/store_extras.hpp>

#include <utility>

namespace sessionkit { inline namespace v0 {

Lease::Lease(std::shared_ptr<void> held) noexcept : held_(std::move(held)) {}
Lease::Lease(Lease&&) noexcept = default;
Lease& Lease::operator=(Lease&&) noexcept = default;
Lease::~Lease() = default;

SESSIONKIT_SELDOM Result<Lease> Lease::acquire(SessionStore& store, SessionId const& id) {
  detail::StoreExtras* const extras = detail::extras_of(store);
  if (extras == nullptr)
    return detail::make_error(
        Errc::unsupported,
        "session '{}': only stores of files have leases; with another store, let one process own the session",
        id.str());
  Result<std::shared_ptr<void>> held = extras->hold(id);
  if (held) return Lease(std::move(*held));
  Error error = held.error();
  return detail::make_error(error.code, error.system, "session '{}': {}", id.str(), error.message);
}

namespace detail {

SESSIONKIT_SELDOM Result<std::optional<Lease>> lease_of_session(SessionStore& store, SessionId const& id) {
  StoreExtras const* const extras = extras_of(store);
  if (extras == nullptr || !extras->is_exclusive()) return std::optional<Lease>{};
  Result<Lease> lease = Lease::acquire(store, id);
  if (!lease) return lease.error();
  return std::optional<Lease>(std::move(*lease));
}

}

}}
