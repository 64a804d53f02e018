// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <memory>

namespace sessionkit { inline namespace v0 {

/// Makes a store in memory, for tests and for hosts that want no files. Its sessions end with the process.
/// New sessions have this profile if `SessionOptions` names no other.
SESSIONKIT_API std::shared_ptr<SessionStore> make_memory_store(Profile const& profile = profiles::native);

}}
