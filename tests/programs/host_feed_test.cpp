// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <atomic>
#include <chat_host/running_turns.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using chat_host::RunningTurns;
using chat_host::TurnFeed;
using sessionkit::Errc;
using Words = std::vector<std::string>;
using namespace std::chrono_literals;

/// A turn that ends when the test says so, or when it is cancelled.
struct Held {
  std::shared_ptr<std::promise<void>> go = std::make_shared<std::promise<void>>();
  RunningTurns::Work work = [kept = go, until = go->get_future().share()](TurnFeed& feed,
                                                                          llm::CancelToken const& cancel) {
    feed.say("begun");
    while (!cancel.cancelled() && until.wait_for(1ms) != std::future_status::ready) {}
    return std::string(cancel.cancelled() ? "cancelled" : "finished");
  };
  void end() const { go->set_value(); }
};

Words all_of(TurnFeed const& feed) {
  Words words;
  for (bool over = false; !over;) {
    auto const heard = feed.hear(words.size(), 10s);
    words.insert(words.end(), heard.words.begin(), heard.words.end());
    over = heard.over;
  }
  return words;
}

std::shared_ptr<TurnFeed const> begin(RunningTurns& turns, std::string const& session,
                                      RunningTurns::Work work) {
  return turns.start(turns.reserve().value(), session, std::move(work)).value();
}

std::string say_hello(TurnFeed& feed, llm::CancelToken const&) {
  feed.say("hello");
  return "over";
}

}

TEST_CASE("each listener receives all of a turn, from the start or from where it was cut off", "[host]") {
  TurnFeed feed;
  feed.say("a");
  CHECK(feed.hear(0, {}).words == Words{"a"});
  CHECK(feed.hear(1, {}).words.empty());
  CHECK_FALSE(feed.hear(1, {}).over);
  std::thread other([&] {
    feed.say("b");
    feed.finish("c");
  });
  CHECK(all_of(feed) == Words{"a", "b", "c"});
  other.join();
  auto const behind_a = feed.position_behind(feed.name_of(0));
  CHECK(feed.hear(behind_a, {}).words == Words{"b", "c"});
  CHECK(feed.hear(3, {}).words.empty());
  CHECK(feed.hear(99, {}).over);
  CHECK(feed.bytes() >= 3);
}

TEST_CASE("an id of another turn, or no id, begins at the start", "[host]") {
  TurnFeed feed, other;
  for (auto const* words : {"a", "b"}) feed.say(words), other.say(words);
  CHECK(feed.position_behind(feed.name_of(1)) == 2);
  for (auto const& name : {other.name_of(1), feed.name_of(2), feed.name_of(0) + "x.1", std::string(),
                           std::string("."), feed.name_of(0).substr(0, 4)})
    CHECK(feed.position_behind(name) == 0);
}

TEST_CASE("one turn at a time runs in a session", "[host]") {
  RunningTurns turns(8);
  Held first;
  auto const feed = begin(turns, "s", first.work);
  CHECK(turns.running("s") == feed);
  CHECK(turns.reserve("s").error().code == Errc::conflict);
  CHECK(turns.start(turns.reserve().value(), "s", say_hello).error().code == Errc::conflict);
  CHECK(all_of(*begin(turns, "t", say_hello)) == Words{"hello", "over"});
  first.end();
  CHECK(all_of(*feed) == Words{"begun", "finished"});
  // A listener that received the end may begin the next turn.
  CHECK(turns.running("s") == nullptr);
  CHECK(turns.find("s") == feed);
  CHECK(all_of(*begin(turns, "s", say_hello)) == Words{"hello", "over"});
}

TEST_CASE("there are as many places as turns may run, and they come back unused", "[host]") {
  RunningTurns turns(1);
  {
    auto const place = turns.reserve();
    REQUIRE(place);
    CHECK(turns.reserve().error().code == Errc::unavailable);
  }
  Held held;
  auto const feed = begin(turns, "s", held.work);
  CHECK(turns.reserve().error().code == Errc::unavailable);
  held.end();
  all_of(*feed);
  auto place = turns.reserve();
  REQUIRE(place);
  CHECK(all_of(*turns.start(*std::move(place), "s", say_hello).value()) == Words{"hello", "over"});
}

TEST_CASE("a request that finds a session answering takes nobody's place", "[host]") {
  RunningTurns turns(2);
  auto place = turns.reserve("s");
  REQUIRE(place);
  CHECK(turns.reserve("s").error().code == Errc::conflict);
  CHECK(turns.running("s") == nullptr);
  Held held;
  auto const feed = begin(turns, "t", held.work);
  CHECK(turns.reserve("s").error().code == Errc::conflict); // instead of "no room"
  CHECK(turns.reserve("u").error().code == Errc::unavailable);
  CHECK(turns.cancel("s")); // also before it begins
  CHECK(all_of(*turns.start(*std::move(place), "s", Held().work).value()) == Words{"begun", "cancelled"});
  CHECK(turns.reserve("s"));
  held.end();
  all_of(*feed);
}

TEST_CASE("a turn is cancelled, and a session is quiet while it is being changed", "[host]") {
  RunningTurns turns(8);
  CHECK_FALSE(turns.cancel("s"));
  auto const feed = begin(turns, "s", Held().work);
  std::atomic<bool> conflicts{false};
  turns.when_quiet("s", [&] {
    CHECK(all_of(*feed) == Words{"begun", "cancelled"});
    conflicts = turns.start(turns.reserve().value(), "s", say_hello).error().code == Errc::conflict;
  });
  CHECK(conflicts);
  CHECK(turns.find("s") == nullptr); // removed events are not received any more
}

TEST_CASE("a turn that waits begins when the one before it ends", "[host]") {
  RunningTurns turns(1);
  Held first, second;
  auto const feed = begin(turns, "s", first.work);
  CHECK(turns.enqueue("s", second.work).value() == 1);
  CHECK(turns.enqueue("s", say_hello).value() == 2);
  CHECK(turns.waiting("s") == 2);
  CHECK(turns.enqueue("t", say_hello).error().code == Errc::unavailable); // no turn may run there
  first.end();
  all_of(*feed);
  auto const next = turns.running("s"); // it is there when the end of the first is reported
  REQUIRE(next != nullptr);
  CHECK(next != feed);
  CHECK(turns.reserve("s").error().code == Errc::conflict);
  second.end();
  all_of(*next);
  auto const last = turns.find("s");
  CHECK(all_of(*last) == Words{"hello", "over"});
}

TEST_CASE("turns that wait are dropped with the one before them, and counted", "[host]") {
  RunningTurns turns(8);
  auto const feed = begin(turns, "s", Held().work);
  for (int i = 0; i < 3; ++i) turns.enqueue("s", say_hello).value();
  CHECK(turns.cancel("s") == std::optional<std::size_t>(3));
  all_of(*feed);
  CHECK(turns.running("s") == nullptr);

  auto const quiet = begin(turns, "s", Held().work);
  turns.enqueue("s", say_hello).value();
  turns.when_quiet("s", [] {});
  CHECK(turns.find("s") == nullptr);

  auto const late = begin(turns, "s", Held().work);
  for (int i = 0; i < 32; ++i) turns.enqueue("s", say_hello).value();
  CHECK(turns.enqueue("s", say_hello).error().code == Errc::unavailable);
  CHECK(turns.stop_all() == 32);
  CHECK(turns.enqueue("s", say_hello).error().code == Errc::unavailable);
}

TEST_CASE("at the end all turns are cancelled, also one that has its place and has not begun", "[host]") {
  RunningTurns turns(8);
  auto const running = begin(turns, "s", Held().work);
  auto place = turns.reserve();
  Words of_late;
  std::thread late([&] {
    while (turns.reserve()) {} // until it stops
    of_late = all_of(*turns.start(*std::move(place), "t", Held().work).value());
  });
  turns.stop_all();
  CHECK(all_of(*running) == Words{"begun", "cancelled"});
  late.join();
  CHECK(of_late == Words{"begun", "cancelled"});
  CHECK(turns.reserve().error().code == Errc::unavailable);
}

TEST_CASE("the newest ended turns are kept, as many as fit", "[host]") {
  RunningTurns turns(8, 10000);
  auto const say_much = [](TurnFeed& feed, llm::CancelToken const&) {
    feed.say(std::string(4000, 'x'));
    return std::string("over");
  };
  for (auto const* session : {"a", "b", "c"}) all_of(*begin(turns, session, say_much));
  CHECK(turns.find("a") == nullptr);
  CHECK(turns.find("b") != nullptr);
  CHECK(turns.find("c") != nullptr);
}
