// SPDX-License-Identifier: MIT
// Reads and changes the state that the sessions of an agent or of a user share.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/scoped_state.hpp>
#include <sessionkit/session_key.hpp>

#include <string_view>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace scoped_state_inl { namespace {

constexpr std::string_view app_prefix = "app:";
constexpr std::string_view user_prefix = "user:";
constexpr std::string_view temp_prefix = "temp:";

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// One change for each scope, its names without the prefix.
struct StateParts {
  StateChange app, user, own;

  StateChange* part_of(std::string& name) {
    if (begins_with(name, temp_prefix)) return nullptr;
    if (begins_with(name, app_prefix)) return name.erase(0, app_prefix.size()), &app;
    if (begins_with(name, user_prefix)) return name.erase(0, user_prefix.size()), &user;
    return &own;
  }
};

StateParts split_by_scope(StateChange const& change) {
  StateParts parts;
  for (auto [name, value] : change.set)
    if (StateChange* const part = parts.part_of(name))
      part->set.emplace_back(std::move(name), std::move(value));
  for (std::string name : change.removed)
    if (StateChange* const part = parts.part_of(name)) part->removed.push_back(std::move(name));
  return parts;
}

bool changes_nothing(StateChange const& change) { return change.set.empty() && change.removed.empty(); }

Result<void> add_shared(SessionStore& store, std::string const& key, std::string_view prefix,
                        ScopedState& into) {
  ListQuery shared;
  shared.key = key;
  Result<std::optional<SessionInfo>> const found = newest_session(store, std::move(shared));
  if (!found) return found.error();
  if (!*found) return {};
  for (auto const& [name, value] : (*found)->state) into.insert_or_assign(std::string(prefix) + name, value);
  return {};
}

Result<void> require_state_in(std::string_view dialect) {
  Dialect const* const known = find_dialect(dialect);
  if (!known || known->can(detail::body_index<StateChange>)) return {};
  return detail::make_error(Errc::unsupported,
                            "the lines of the {} dialect cannot represent state, so nothing was stored",
                            known->name);
}

Result<void> require_state_of(SessionStore& store, SessionId const& id) {
  ReadRange const last{ReadRange::newest_first, {}, 4, std::size_t{16} << 10};
  Result<RecordPage> const page = store.read(id, last);
  return page ? require_state_in(page->dialect) : page.error();
}

// Without such a session, the first write would create one in the dialect of the profile.
Result<void> require_shared_state(SessionStore& store, std::string const& key,
                                  SessionOptions const& options) {
  Result<std::optional<SessionInfo>> const found = newest_session(store, active_query(key));
  if (!found) return found.error();
  if (*found) return require_state_of(store, (*found)->id);
  return require_state_in(options.profile ? options.profile->dialect : store.profile().dialect);
}

// Fails if the lines of one of the sessions to change cannot represent state. Writes nothing.
Result<void> require_state(SessionStore& store, SessionInfo const& info, StateParts const& parts,
                           SessionOptions const& options) {
  if (!changes_nothing(parts.app))
    if (auto can = require_shared_state(store, state_key(info.agent), options); !can) return can;
  if (!changes_nothing(parts.user))
    if (auto can = require_shared_state(store, state_key(info.agent, info.user), options); !can) return can;
  if (changes_nothing(parts.own)) return {};
  return require_state_of(store, info.id);
}

Result<void> change_shared(std::shared_ptr<SessionStore> const& store, SessionInfo const& info,
                           std::string_view user, StateChange change, SessionOptions const& options) {
  if (changes_nothing(change)) return {};
  Result<Session> session = Session::resume(store, state_key(info.agent, user), options);
  if (!session) return session.error();
  AppendOptions how;
  how.ends_turn = true;
  Result<EntryId> const stored = session->append_entry(std::move(change), how);
  return stored ? Result<void>{} : stored.error();
}

}}

SESSIONKIT_SELDOM Result<ScopedState> load_scoped_state(SessionStore& store, SessionId const& id) {
  Result<SessionInfo> const info = store.info(id);
  if (!info) return info.error();
  ScopedState state = info->state;
  if (auto added =
          scoped_state_inl::add_shared(store, state_key(info->agent), scoped_state_inl::app_prefix, state);
      !added)
    return added.error();
  if (info->user.empty()) return state;
  if (auto added = scoped_state_inl::add_shared(store, state_key(info->agent, info->user),
                                                scoped_state_inl::user_prefix, state);
      !added)
    return added.error();
  return state;
}

SESSIONKIT_SELDOM Result<void> update_scoped_state(std::shared_ptr<SessionStore> store, SessionId const& id,
                                                   StateChange const& change, SessionOptions const& options) {
  Result<SessionInfo> const info = store->info(id);
  if (!info) return info.error();
  auto parts = scoped_state_inl::split_by_scope(change);
  if (info->user.empty() && !scoped_state_inl::changes_nothing(parts.user))
    return Error{
        Errc::invalid_argument, 0,
        detail::format_text("session '{}' has no user, so a name cannot begin with 'user:'", id.str())};
  if (auto can = scoped_state_inl::require_state(*store, *info, parts, options); !can) return can;
  if (auto done = scoped_state_inl::change_shared(store, *info, {}, std::move(parts.app), options); !done)
    return done;
  if (auto done = scoped_state_inl::change_shared(store, *info, info->user, std::move(parts.user), options);
      !done)
    return done;
  return update_state(std::move(store), id, std::move(parts.own), options);
}

}}
