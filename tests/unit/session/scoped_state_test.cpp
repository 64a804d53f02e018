// SPDX-License-Identifier: MIT
// State that sessions share, by the rules of ADK.
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/retention.hpp>
#include <sessionkit/scoped_state.hpp>
#include <sessionkit/session_key.hpp>

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace sk = sessionkit;
using namespace sessionkit_test;

namespace {

sk::SessionId session_of(std::shared_ptr<sk::SessionStore> const& store, std::string const& agent,
                         std::string const& user) {
  sk::NewSession about;
  about.agent = agent;
  about.user = user;
  return sk::Session::create(store, about).value().id();
}

sk::StateChange setting(std::map<std::string, int> const& values, std::vector<std::string> removed = {}) {
  sk::StateChange change;
  for (auto const& [name, value] : values) change.set.emplace_back(name, sk::RawJson::integer(value));
  change.removed = std::move(removed);
  return change;
}

std::map<std::string, std::string> seen_by(sk::SessionStore& store, sk::SessionId const& id) {
  std::map<std::string, std::string> seen;
  for (auto const& [name, value] : sk::load_scoped_state(store, id).value()) seen[name] = value.str();
  return seen;
}

using Seen = std::map<std::string, std::string>;

}

TEST_CASE("the beginning of a name decides which sessions share its value") {
  auto const store = sk::make_memory_store();
  auto const ada1 = session_of(store, "main", "ada"), ada2 = session_of(store, "main", "ada");
  auto const bob = session_of(store, "main", "bob"), other = session_of(store, "other", "ada");
  sk::update_scoped_state(store, ada1, setting({{"app:a", 1}, {"user:u", 2}, {"own", 3}, {"temp:t", 4}}))
      .value();
  CHECK(seen_by(*store, ada1) == Seen{{"app:a", "1"}, {"user:u", "2"}, {"own", "3"}});
  CHECK(seen_by(*store, ada2) == Seen{{"app:a", "1"}, {"user:u", "2"}});
  CHECK(seen_by(*store, bob) == Seen{{"app:a", "1"}});
  CHECK(seen_by(*store, other).empty());
  CHECK(store->info(ada1).value().state.size() == 1);

  sk::update_scoped_state(store, ada2, setting({{"user:u", 5}}, {"app:a", "user:none", "temp:t"})).value();
  CHECK(seen_by(*store, ada1) == Seen{{"user:u", "5"}, {"own", "3"}});
  CHECK(seen_by(*store, bob).empty());
}

TEST_CASE("a session without a user shares the agent's state only") {
  auto const store = sk::make_memory_store();
  auto const id = session_of(store, "main", "");
  auto const refused = sk::update_scoped_state(store, id, setting({{"app:a", 1}, {"user:u", 2}}));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == sk::Errc::invalid_argument);
  CHECK(seen_by(*store, id).empty()); // nothing was stored
  sk::update_scoped_state(store, id, setting({{"app:a", 1}})).value();
  CHECK(seen_by(*store, id) == Seen{{"app:a", "1"}});
}

TEST_CASE("names of agents and users never meet in a key") {
  CHECK(sk::state_key("a", "b") == "@state:a:b");
  CHECK(sk::state_key("a:b") == "@state:a%3Ab");
  CHECK(sk::state_key("a", "b:c") != sk::state_key("a:b", "c"));
  CHECK(sk::state_key("a%3Ab") != sk::state_key("a:b"));
  CHECK(sk::is_state_key(sk::state_key("")));
  CHECK_FALSE(sk::is_state_key("main:cli:user"));
}

TEST_CASE("shared state in a directory outlives its sessions, and writers at once lose nothing") {
  TempDir const dir;
  sk::SessionId const id = [&] {
    std::shared_ptr<sk::SessionStore> const store = sk::open_file_store(dir.path()).value();
    return session_of(store, "main", "ada");
  }();
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer)
    writers.emplace_back([&, writer] {
      std::shared_ptr<sk::SessionStore> const store = sk::open_file_store(dir.path()).value();
      for (int i = 0; i < 10; ++i)
        sk::update_scoped_state(store, id, setting({{"user:" + std::to_string(writer * 10 + i), i}})).value();
    });
  for (auto& writer : writers) writer.join();

  std::shared_ptr<sk::SessionStore> const store = sk::open_file_store(dir.path()).value();
  CHECK(seen_by(*store, id).size() == 40);
  CHECK(store->list({}).value().sessions.size() == 2); // one session holds the state
  sk::RetentionPolicy policy;
  policy.idle = std::chrono::milliseconds(1);
  policy.age = std::chrono::milliseconds(1);
  auto const plan = sk::plan_retention(*store, policy, sk::system_now() + std::chrono::hours(1)).value();
  REQUIRE(plan.removals.size() == 1);
  CHECK(plan.removals.front().id == id);
  CHECK(plan.kept == 1);
}

TEST_CASE("a dialect without state stores nothing of a change of the session") {
  auto const store = sk::make_memory_store(sk::profiles::claw0);
  auto const id = session_of(store, "main", "ada");
  auto const refused = sk::update_scoped_state(store, id, setting({{"own", 1}}));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == sk::Errc::unsupported);
}

TEST_CASE("a dialect without state gets no session for the shared state") {
  for (auto const& profile : {sk::profiles::claw0, sk::profiles::ai_panel})
    for (char const* const name : {"app:a", "user:u", "own"}) {
      CAPTURE(profile.name, name);
      TempDir const dir;
      sk::FileStoreOptions options;
      options.profile = profile;
      std::shared_ptr<sk::SessionStore> const store = sk::open_file_store(dir.path(), options).value();
      auto const id = session_of(store, "main", "ada");
      auto const refused = sk::update_scoped_state(store, id, setting({{name, 1}}));
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == sk::Errc::unsupported);
      CHECK(store->list({}).value().sessions.size() == 1); // the conversation
      store->remove(id).value();
      CHECK(store->list({}).value().sessions.empty());
    }
}

TEST_CASE("a change is refused as a whole if one of its sessions cannot hold state") {
  auto const store = sk::make_memory_store();
  sk::NewSession about;
  about.agent = "main";
  about.user = "ada";
  sk::SessionOptions of_claw0;
  of_claw0.profile = sk::profiles::claw0;
  auto const id = sk::Session::create(store, about, of_claw0).value().id();
  auto const change = setting({{"app:a", 1}, {"user:u", 2}, {"own", 3}});
  CHECK(sk::update_scoped_state(store, id, change).error().code == sk::Errc::unsupported);
  CHECK(store->list({}).value().sessions.size() == 1);

  sk::update_scoped_state(store, id, setting({{"app:a", 1}})).value(); // in a session of its own
  CHECK(seen_by(*store, id) == Seen{{"app:a", "1"}});
  // That session goes on in its own dialect, but one for the user would begin in claw0's.
  CHECK(sk::update_scoped_state(store, id, setting({{"app:a", 2}, {"user:u", 2}}), of_claw0).error().code
        == sk::Errc::unsupported);
  CHECK(seen_by(*store, id) == Seen{{"app:a", "1"}});
  sk::update_scoped_state(store, id, setting({{"app:a", 2}}), of_claw0).value();
  CHECK(seen_by(*store, id) == Seen{{"app:a", "2"}});
}
