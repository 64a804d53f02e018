// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/lease.hpp>

#include <optional>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Takes the lease for a `Session` object. Absent if the store is not exclusive.
SESSIONKIT_API Result<std::optional<Lease>> lease_of_session(SessionStore& store, SessionId const& id);

}}}
