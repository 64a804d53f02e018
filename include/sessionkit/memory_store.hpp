// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <memory>

namespace sessionkit { inline namespace v0 {

/// Makes a store in memory, for tests and for hosts that want no files. Its sessions end with the process. A
/// new session has the profile `profile` if `SessionOptions` names no other profile.
SESSIONKIT_API std::shared_ptr<SessionStore> make_memory_store(Profile const& profile = profiles::native);

}}
