// SPDX-License-Identifier: MIT
// Many sessions: their keys, when a key begins a new one, their titles, copies,
// and their removal.
#include <sessionkit/copy.hpp>
#include <sessionkit/sessionkit.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

namespace sk = sessionkit;

namespace {

// [keys]
// The session of the sender: one for a person over all channels, one for a group, one for a thread in it.
sk::Result<sk::Session> session_for(std::shared_ptr<sk::SessionStore> const& store,
                                    sk::ChannelContext const& message) {
  sk::KeyRules rules;
  rules.direct = sk::DirectScope::peer;
  rules.identities = {{"ann", {"telegram:111", "discord:222"}}};
  return sk::Session::resume(store, sk::resolve(message, sk::KeyScheme::openclaw, rules));
}
// [keys]

// [fresh]
// The newest session of the key. If it began before the last 04:00 or had no entry for 2 hours: a new one.
sk::Result<sk::Session> resume_fresh(std::shared_ptr<sk::SessionStore> const& store, std::string const& key,
                                     sk::Timestamp now, sk::UtcOffset const& zone) {
  sk::ListQuery of_key;
  of_key.key = key;
  auto const newest = sk::newest_session(*store, of_key);
  if (!newest) return newest.error();
  sk::FreshnessRule const rule{4, std::chrono::hours(2)};
  if (*newest && sk::freshness_of(sk::times_of(**newest), rule, now, zone).fresh)
    return sk::Session::open(store, (*newest)->id);
  sk::NewSession about;
  about.key = key;
  return sk::Session::create(store, std::move(about));
}
// [fresh]

sk::Result<std::string> ask_for_title(sk::Session& session) {
  return "About " + session.info().value().display_title(10);
}

// [title]
// Call this after each turn: at 4, 12, 30 and 80 messages it asks a model, unless a person chose the title.
sk::Result<bool> name_it(sk::Session& session, std::uint64_t messages_before_the_turn) {
  return sk::update_title(session, messages_before_the_turn, ask_for_title);
}
// [title]

// [copy]
// Copies everything that is not in the other store yet; existing lines are compared, not written again.
sk::Result<std::uint64_t> back_up(sk::SessionStore& from, sk::SessionStore& to) {
  std::uint64_t lines = 0;
  auto const sessions = sk::list_all(from);
  if (!sessions) return sessions.error();
  for (auto const& session : *sessions) {
    auto const copy = sk::copy_session(from, to, session.id);
    if (!copy) return copy.error();
    lines += copy->written;
  }
  return lines;
}
// [copy]

// [state]
// The end of a summary, as blades stores it: an integer that stays an integer after every restart.
sk::Result<std::int64_t> move_offset(std::shared_ptr<sk::SessionStore> const& store, sk::SessionId const& id,
                                     std::int64_t by) {
  auto const info = store->info(id);
  if (!info) return info.error();
  auto const found = info->state.find("__summary_offset__");
  auto const offset = found == info->state.end() ? 0 : found->second.as_integer().value_or(0);
  sk::StateChange change;
  change.set.emplace_back("__summary_offset__", sk::RawJson::integer(offset + by));
  auto const stored = sk::update_state(store, id, std::move(change));
  if (!stored) return stored.error();
  return offset + by;
}
// [state]

void tidy(sk::SessionStore& store, sk::Timestamp now) {
  // [retention]
  sk::RetentionPolicy policy;
  policy.idle = std::chrono::hours(24 * 90);
  policy.max_sessions = 500;
  policy.protected_keys = {"main:cli:user"};
  auto const plan = sk::plan_retention(store, policy, now).value(); // nothing is removed yet
  for (auto const& removal : plan.removals)
    std::printf("%s (%s): %s\n", removal.id.str().c_str(), removal.key.c_str(), removal.why.c_str());
  auto const done = sk::apply_retention(store, plan); // to the trash
  std::printf("%zu removed, %zu continued or gone in the meantime, %zu failed\n", done.removed.size(),
              done.skipped.size(), done.failed.size());
  // [retention]
}

}

int main() {
  auto const store = sk::make_memory_store();
  auto const now = sk::system_now();
  auto const utc = [](sk::Timestamp) { return std::chrono::minutes(0); };
  auto session = resume_fresh(store, "main:web:ann", now, utc).value();
  for (int turn = 0; turn < 2; ++turn) {
    auto const before = session.info().value().messages;
    session.append(sk::user("How high is the tower?")).value();
    session.append(sk::assistant("330 metres.")).value();
    name_it(session, before).value();
  }
  std::printf("%s\n", session.info().value().title.c_str());
  auto const later = resume_fresh(store, "main:web:ann", now + std::chrono::hours(48), utc).value();
  std::printf("%s\n", later.id() == session.id() ? "the same session" : "another session");
  move_offset(store, session.id(), 2).value();
  auto const copies = sk::make_memory_store();
  std::printf("offset %d, ", static_cast<int>(move_offset(store, session.id(), 2).value()));
  std::printf("%d lines copied, ", static_cast<int>(back_up(*store, *copies).value()));
  std::printf("then %d\n", static_cast<int>(back_up(*store, *copies).value()));
  tidy(*store, now + std::chrono::hours(24 * 100));

  sk::ChannelContext message;
  message.channel = "telegram";
  message.sender = "111";
  auto const ann = session_for(store, message).value();
  message.channel = "discord";
  message.sender = "222";
  bool const same = session_for(store, message).value().id() == ann.id();
  std::printf("%s\n", same ? "one session for one person" : "two sessions for one person");
}
