// SPDX-License-Identifier: MIT
// Memory runs out at each place of each call. This program's operator new counts the allocations.
#include "soak.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "writers.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/session.hpp>

#include <cstdlib>
#include <new>

namespace {
thread_local std::int64_t allocations_left = -1; // -1: without limit
}

// GCC reports free() in the replaced operator delete as a mismatch if it sees both.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(std::size_t size) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* made = std::malloc(size == 0 ? 1 : size)) return made;
  throw std::bad_alloc();
}
void operator delete(void* made) noexcept { std::free(made); }
void operator delete(void* made, std::size_t) noexcept { std::free(made); }

using namespace sessionkit_test;

namespace {

sk::SessionId id_of(std::string const& name) { return sk::SessionId::parse(name).value(); }

struct Scene {
  TempDir dir;
  FaultyFileOps ops; // makes no syncs
  std::shared_ptr<sk::SessionStore> store;
  sk::Position end;
  std::optional<sk::Session> session;
  Scene() {
    store = sk::detail::open_file_store(ops, dir.path(), {}).value();
    end = store->append(id_of("s"), Batch({header_line("s"), message_line("m", "", "x")}, {}, true)).value();
    session.emplace(sk::Session::resume(store, "k").value());
    session->append(sk::user("hello")).value();
    session->append(sk::assistant("hello")).value();
  }
};

struct Operation {
  char const* name;
  std::function<bool(Scene&)> run; // true: the call succeeded
};

}

TEST_CASE("T27: memory runs out at each place of each call: no lock stays, nothing acknowledged is lost") {
  Batch const fresh({header_line("new"), message_line("n1", "", "x")}, {}, true);
  std::vector<Operation> const operations{
      {"append a session", [&](Scene& s) { return s.store->append(id_of("new"), fresh).ok(); }},
      {"read", [](Scene& s) { return s.store->read(id_of("s"), {}).ok(); }},
      {"info", [](Scene& s) { return s.store->info(id_of("s")).ok(); }},
      {"list", [](Scene& s) { return s.store->list({}).ok(); }},
      {"remove", [](Scene& s) { return s.store->remove(id_of("s")).ok(); }},
      {"say", [](Scene& s) { return s.session->append(sk::user("more")).ok(); }},
      {"answer", [](Scene& s) { return s.session->append(sk::assistant("more")).ok(); }},
      {"title", [](Scene& s) { return s.session->set_title("t").ok(); }},
      {"context", [](Scene& s) { return s.session->context().ok(); }},
      {"request", [](Scene& s) { return s.session->request({sk::Provider::anthropic}).ok(); }},
      {"fork", [](Scene& s) { return s.session->fork().ok(); }},
      {"open again", [](Scene& s) { return sk::detail::open_file_store(s.ops, s.dir.path(), {}).ok(); }},
  };
  std::int64_t places = 0;
  for (Operation const& each : operations) {
    for (std::int64_t at = 0, step = 1; at < 5'000; at += step) {
      Scene scene;
      bool thrown = false, done = false;
      allocations_left = at;
      try {
        done = each.run(scene);
      } catch (std::bad_alloc const&) { thrown = true; }
      bool const reached = std::exchange(allocations_left, -1) == 0;
      ++places;
      CAPTURE(each.name, at, thrown, done);
      REQUIRE((done || thrown || reached));
      // The store, and another process's store, continue.
      auto other = sk::open_file_store(scene.dir.path()).value();
      bool const removed = std::string(each.name) == "remove";
      for (auto const& store : {scene.store, other}) {
        if (removed) continue;
        REQUIRE(SharedWriter(*store, "s").append(store == other ? "o" : "t", "x").ok());
      }
      Found const found = find_all(*other, "s");
      if (!removed) REQUIRE(found.ids == (std::vector<std::string>{"m", "t", "o"}));
      if (removed && done) REQUIRE(found.ids.empty());
      auto const talk = find_all(*other, scene.session->id().str()).count();
      for (auto const& [name, times] : talk) REQUIRE(times == 1);
      REQUIRE(talk.size() >= 2U + (done && std::string(each.name) == "say" ? 1U : 0U));
      if (done && std::string(each.name) == "append a session")
        REQUIRE(find_all(*other, "new").ids.size() == 1);
      REQUIRE(scene.session->append(sk::assistant("after")).ok());
      if (!reached) break;
      if (!soaking()) step = 1 + at / 24;
    }
  }
  tell("T27", places, " places where memory ran out");
  CHECK(places > 100);
}
