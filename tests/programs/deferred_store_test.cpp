// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/sessionkit.hpp>

#include <agent/deferred_store.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace {

namespace sk = sessionkit;

std::string words_of(std::shared_ptr<sk::SessionStore> const& store, sk::SessionId const& id) {
  std::string all;
  auto const session = sk::Session::open(store, id);
  if (!session) return to_string(session.error().code);
  for (auto const& entry : session->path().value())
    if (auto const* message = entry.as<sk::Message>()) all += message->text() + " ";
  return all;
}

std::vector<std::string> listed(sk::SessionStore& store, sk::ListQuery const& query = {}) {
  std::vector<std::string> ids;
  for (auto const& info : store.list(query).value().sessions) ids.push_back(info.id.str());
  return ids;
}

}

TEST_CASE("a deferred store shows what was written and stores it when it is saved", "[agent]") {
  auto const behind = sk::make_memory_store();
  auto old = sk::Session::resume(behind, "k").value();
  old.append(sk::user("one")).value();
  auto const id = old.id();

  auto const store = std::make_shared<agent::DeferredStore>(behind);
  auto session = sk::Session::resume(store, "k").value();
  CHECK(session.id() == id);
  session.append(sk::user("two")).value();
  auto const other = sk::Session::create(store, {"other"}).value().id();
  CHECK(words_of(store, id) == "one two ");
  auto const ids = listed(*store); // both may have been changed in the same millisecond
  CHECK(std::set<std::string>(ids.begin(), ids.end()) == std::set<std::string>{other.str(), id.str()});
  CHECK(ids.size() == 2);
  CHECK(words_of(behind, id) == "one ");
  CHECK(words_of(behind, other) == "not_found");

  store->save().value();
  CHECK(words_of(behind, id) == "one two ");
  CHECK(behind->info(other).value().key == "other");
  session.append(sk::user("three")).value();
  CHECK(words_of(behind, id) == "one two ");
  store->save().value();
  CHECK(words_of(behind, id) == "one two three ");
}

TEST_CASE("a deferred store that is not saved leaves nothing behind", "[agent]") {
  auto const behind = sk::make_memory_store();
  {
    auto const store = std::make_shared<agent::DeferredStore>(behind);
    sk::Session::resume(store, "k").value().append(sk::user("one")).value();
  }
  CHECK(listed(*behind).empty());
}

TEST_CASE("a deferred store refuses what another program changed and saves the rest", "[agent]") {
  auto const behind = sk::make_memory_store();
  auto theirs = sk::Session::create(behind, {"a"}).value();
  auto const store = std::make_shared<agent::DeferredStore>(behind);
  auto ours = sk::Session::open(store, theirs.id()).value();
  ours.append(sk::user("ours")).value();
  theirs.append(sk::user("theirs")).value();
  auto fresh = sk::Session::create(store, {"b"}).value();
  auto const saved = store->save();
  REQUIRE_FALSE(saved);
  CHECK(saved.error().code == sk::Errc::conflict);
  CHECK(words_of(behind, theirs.id()) == "theirs ");
  CHECK(behind->info(fresh.id()).ok());
  CHECK(words_of(store, theirs.id()) == "ours "); // still there, for another try
}

TEST_CASE("a deferred store removes at once and starts one session for a key", "[agent]") {
  auto const behind = sk::make_memory_store();
  auto const stored = sk::Session::create(behind, {"a"}).value().id();
  auto const store = std::make_shared<agent::DeferredStore>(behind);
  auto const unsaved = sk::Session::create(store, {"b"}).value().id();
  CHECK(sk::Session::resume(store, "a").value().id() == stored);
  CHECK(sk::Session::resume(store, "b").value().id() == unsaved);
  sk::ListQuery of_b;
  of_b.key = "b";
  CHECK(listed(*store, of_b) == std::vector<std::string>{unsaved.str()});
  store->remove(stored).value();
  store->remove(unsaved).value();
  CHECK(store->remove(unsaved).error().code == sk::Errc::not_found);
  CHECK(listed(*store).empty());
  CHECK(listed(*behind).empty());
  store->save().value();
  CHECK(listed(*behind).empty());
}
