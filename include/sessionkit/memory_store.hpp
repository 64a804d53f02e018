// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <memory>

namespace sessionkit { inline namespace v0 {

/// A store that lives as long as the process: for tests and hosts that want no files. Its sessions are of
/// this profile, where `SessionOptions` names no other.
SESSIONKIT_API std::shared_ptr<SessionStore> make_memory_store(Profile const& profile = profiles::native);

}}
