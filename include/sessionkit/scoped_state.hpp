// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session.hpp>

#include <map>
#include <memory>
#include <string>

namespace sessionkit { inline namespace v0 {

/// The state that a session sees, by name. The beginning of a name decides who shares its value, as in
/// Google's ADK (adk.dev, "State"):
///
///   `app:`   all sessions of the agent (`SessionInfo::agent`)
///   `user:`  all sessions of the user (`SessionInfo::user`) with this agent
///   `temp:`  nobody: such a value is never stored
///   else     the session alone, as `Session::set_state`
///
/// Values of `app:` and `user:` are the state of two further sessions of the same store. Their keys are those
/// of `state_key`, and `Session::resume` creates them when they are first written.
using ScopedState = std::map<std::string, RawJson>;

/// Reads the session's own state and the state it shares. Where a session has no user, `user:` names none.
/// Errors are those of `SessionStore::info` and `list`.
SESSIONKIT_API Result<ScopedState> load_scoped_state(SessionStore& store, SessionId const& id);

/// Stores a change: first the values of the agent, then those of the user, then those of the session. Each
/// part is one entry, durable as the end of a turn is. After an error, earlier parts may be stored, and the
/// call may be repeated. Names with `temp:` are ignored. `invalid_argument` for a name of `user:` if the
/// session has no user; nothing is stored then. Other errors are those of `update_state`.
SESSIONKIT_API Result<void> update_scoped_state(std::shared_ptr<SessionStore> store, SessionId const& id,
                                                StateChange const& change,
                                                SessionOptions const& options = {});

}}
