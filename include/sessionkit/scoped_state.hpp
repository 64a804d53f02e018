// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session.hpp>

#include <map>
#include <memory>
#include <string>

namespace sessionkit { inline namespace v0 {

/// The state that a session sees: values by name. The prefix of a name decides which sessions share its
/// value, as in Google's ADK (adk.dev, "State"):
///
///   `app:`   all sessions of the agent (`SessionInfo::agent`)
///   `user:`  all sessions of the user (`SessionInfo::user`) with this agent
///   `temp:`  no session: such a value is never stored
///   others   only this session, as with `Session::set_state`
///
/// The values of `app:` and `user:` are stored as the state of two further sessions in the same store. These
/// sessions have the keys of `state_key`, and the first write creates them.
using ScopedState = std::map<std::string, RawJson>;

/// Reads the session's own state and the state that it shares with other sessions. If the session has no
/// user, the result has no names with `user:`. Errors are those of `SessionStore::info` and `list`.
SESSIONKIT_API Result<ScopedState> load_scoped_state(SessionStore& store, SessionId const& id);

/// Stores a change: first the values of the agent, then those of the user, then those of the session. Each of
/// these three groups is one entry, which is as durable as the end of a turn. Names with `temp:` are ignored.
/// Fails with `invalid_argument` if a name begins with `user:` and the session has no user. Fails with
/// `unsupported` if a session would change whose dialect cannot represent state. In these two cases nothing
/// is stored. Other errors are those of `update_state`. After such an error, the groups before the failed
/// group may be stored. The call may be repeated.
SESSIONKIT_API Result<void> update_scoped_state(std::shared_ptr<SessionStore> store, SessionId const& id,
                                                StateChange const& change,
                                                SessionOptions const& options = {});

}}
