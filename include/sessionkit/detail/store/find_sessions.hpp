// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the one session that `find_sessions` finds. Fails with `not_found` if there is none, and with
/// `invalid_argument` if there are several; the message then names the first of them.
Result<SessionId> find_one_session(SessionStore& store, std::string_view text);

}}}
