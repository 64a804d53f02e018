// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/interrupted_store.hpp"
#include "support/logs.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace sessionkit_test;

namespace {

sk::Session of_key(std::shared_ptr<sk::SessionStore> const& store, std::string key) {
  sk::NewSession about;
  about.key = std::move(key);
  auto session = sk::Session::create(store, std::move(about)).value();
  session.append(sk::user("hello")).value();
  return session;
}

std::size_t sessions_in(sk::SessionStore& store, std::string const& key) {
  sk::ListQuery query;
  query.key = key;
  return sk::list_sessions(store, query, 0).value().sessions.size();
}

// Each thread has a store of its own on the same data, as a process has.
void race(std::function<std::shared_ptr<sk::SessionStore>()> const& open) {
  constexpr std::size_t threads = 4, keys = 25;
  std::vector<std::vector<std::string>> ids(threads);
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i)
    running.emplace_back([&open, &mine = ids[i]] {
      auto const store = open();
      for (std::size_t k = 0; k < keys; ++k) {
        auto session = sk::Session::resume(store, "key-" + std::to_string(k)).value();
        session.append(sk::user("hi")).value();
        mine.push_back(session.id().str());
      }
    });
  for (std::thread& thread : running) thread.join();
  auto const store = open();
  for (std::size_t k = 0; k < keys; ++k) {
    std::set<std::string> const chosen{ids[0][k], ids[1][k], ids[2][k], ids[3][k]};
    CHECK(chosen.size() == 1);
    CHECK(sessions_in(*store, "key-" + std::to_string(k)) == 1);
  }
}

}

TEST_CASE("a resume that another process overtakes opens the session of that process") {
  auto const inner = sk::make_memory_store();
  auto const store = std::make_shared<InterruptedStore>(inner);
  std::string theirs;
  store->after_look = [&] { theirs = of_key(inner, "k").id().str(); };
  auto const session = sk::Session::resume(store, "k").value();
  CHECK(session.id().str() == theirs);
  CHECK(store->looks == 2);
  CHECK(sessions_in(*inner, "k") == 1);
}

TEST_CASE("a resume whose session is removed after the look starts a new one") {
  auto const inner = sk::make_memory_store();
  auto const old = of_key(inner, "k").id();
  auto const store = std::make_shared<InterruptedStore>(inner);
  store->after_look = [&] { inner->remove(old).value(); };
  auto const session = sk::Session::resume(store, "k").value();
  CHECK(session.id() != old);
  CHECK(sessions_in(*inner, "k") == 1);
}

TEST_CASE("an archived session does not answer for its key, and create begins another in any case") {
  TempDir const dir;
  for (auto const& store : {sk::make_memory_store(), sk::open_file_store(dir / "s").value()}) {
    auto old = of_key(store, "k");
    old.set_archived(true).value();
    auto session = sk::Session::resume(store, "k").value();
    CHECK(session.id() != old.id());
    session.append(sk::user("hello")).value();
    CHECK(sk::Session::resume(store, "k").value().id() == session.id());
    CHECK(of_key(store, "k").id() != session.id());
  }
}

TEST_CASE("a batch that needs a key without a session is refused while there is one, and names it") {
  TempDir const dir;
  for (auto const& store : {sk::make_memory_store(), sk::open_file_store(dir / "s").value()}) {
    auto first = of_key(store, "k");
    std::string const line =
        R"({"type":"session","version":3,"id":"other","timestamp":"2026-01-01T00:00:00.000Z","key":"k"})";
    sk::RecordView view;
    view.id = "other";
    view.type = "session";
    view.line = line;
    sk::Append batch;
    batch.records = {view};
    batch.durable = true;
    batch.unless_active = "k";
    auto const refused = store->append(sid("other"), batch);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == sk::Errc::conflict);
    CHECK(refused.error().message.find(first.id().str()) != std::string::npos);
    CHECK(store->info(sid("other")).error().code == sk::Errc::not_found);
    first.set_archived(true).value();
    auto const taken = store->append(sid("other"), batch);
    REQUIRE(taken);
    CHECK(store->append(sid("other"), batch).value() == *taken); // a repetition is not refused
  }
}

TEST_CASE("threads that resume the same keys at once end in one session for each key") {
  SECTION("in memory") {
    auto const store = sk::make_memory_store();
    race([&] { return store; });
  }
  SECTION("in one directory, each with a store of its own") {
    TempDir const dir;
    race([&] { return sk::open_file_store(dir / "s").value(); });
  }
}
