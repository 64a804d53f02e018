// SPDX-License-Identifier: MIT
#include "soak.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>
#include <thread>
#include <unordered_set>

using namespace sessionkit_test;
namespace sk = sessionkit;

TEST_CASE("T19: the order is that of appending, whatever the clock says") {
  using Days = std::chrono::hours;
  TempDir dir;
  auto const start = sk::from_unix_ms(1'763'000'000'000);
  sk::Timestamp now = start;
  sk::SessionOptions options;
  options.clock = [&] { return now; };
  auto store = sk::open_file_store(dir.path()).value();
  auto session = sk::Session::resume(store, "k", options).value();
  std::vector<std::string> expected;
  for (auto const jump : {Days{0}, Days{-24}, Days{24 * 36'500}, Days{0}, Days{-24 * 365 * 60}, Days{1}}) {
    now = start + jump;
    for (int i = 0; i < 3; ++i) { // frozen in between
      expected.push_back(std::to_string(expected.size()));
      session.append(i == 2 ? sk::assistant(expected.back()) : sk::user(expected.back())).value();
    }
  }
  auto reopened = sk::Session::open(sk::open_file_store(dir.path()).value(), session.id()).value();
  std::vector<std::string> texts;
  auto const path = reopened.path().value();
  for (auto const& entry : path)
    if (auto const* message = entry.as<sk::Message>()) texts.push_back(message->text());
  CHECK(texts == expected);
  CHECK(reopened.leaf() == session.leaf());
  CHECK(reopened.info().value().messages == expected.size());
  now = start - Days{24 * 365 * 60};
  CHECK(sk::Session::resume(store, "k", options).value().id() == session.id()); // still found by its key
}

TEST_CASE("T19: ids that 64 threads make in the same moment are all different") {
  auto const moment = sk::from_unix_ms(1'763'000'000'000);
  std::size_t const each = static_cast<std::size_t>(soak_or(1'000'000, 64'000)) / 64;
  std::vector<std::vector<std::string>> made(64);
  std::vector<std::thread> threads;
  for (auto& mine : made)
    threads.emplace_back([&mine, each, moment] {
      for (std::size_t i = 0; i < each; ++i)
        mine.push_back(i % 2 == 0 ? sk::random_entry_id() : sk::make_session_id(moment).str());
    });
  for (auto& thread : threads) thread.join();
  std::unordered_set<std::string> distinct;
  for (auto const& mine : made) distinct.insert(mine.begin(), mine.end());
  CHECK(distinct.size() == 64 * each);
}
