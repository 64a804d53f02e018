// SPDX-License-Identifier: MIT
// Many sessions: when a key begins a new one, what they are called, when they go.
#include <sessionkit/sessionkit.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

namespace sk = sessionkit;

namespace {

// [fresh]
// The newest session of a key, unless it is of yesterday (since 04:00) or nobody spoke for two hours.
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
// After each turn: at 4, 12, 30 and 80 messages a model is asked, unless a person chose the title.
sk::Result<bool> name_it(sk::Session& session, std::uint64_t messages_before_the_turn) {
  return sk::retitle(session, messages_before_the_turn, ask_for_title);
}
// [title]

void tidy(sk::SessionStore& store, sk::Timestamp now) {
  // [retention]
  sk::RetentionPolicy policy;
  policy.idle = std::chrono::hours(24 * 90);
  policy.most_sessions = 500;
  policy.protected_keys = {"main:cli:user"};
  auto const plan = sk::plan_retention(store, policy, now).value(); // nothing has happened yet
  for (auto const& removal : plan.removals)
    std::printf("%s (%s): %s\n", removal.id.str().c_str(), removal.key.c_str(), removal.why.c_str());
  auto const done = sk::apply_retention(store, plan); // to the trash
  std::printf("%zu removed, %zu gone on with meanwhile\n", done.removed.size(), done.spared.size());
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
  tidy(*store, now + std::chrono::hours(24 * 100));
}
