// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/flaky_store.hpp"
#include "support/logs.hpp"
#include "support/texts_of_session.hpp"

#include <sessionkit/memory_store.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>

using namespace sessionkit_test;

TEST_CASE("an append whose outcome is unknown may be repeated: it is stored once") {
  auto store = std::make_shared<FlakyStore>(sk::make_memory_store());
  auto session = sk::Session::create(store).value();
  auto const when = GENERATE(FlakyStore::before, FlakyStore::after);
  store->fail = when;
  CHECK(session.append(sk::user("once")).error().code == sk::Errc::outcome_unknown);
  SECTION("the same message again") {
    session.append(sk::user("once")).value();
    CHECK(texts_of(session) == Texts{"once"});
  }
  SECTION("another message") {
    session.append(sk::user("other")).value();
    CHECK(texts_of(session) == (when == FlakyStore::after ? Texts{"once", "other"} : Texts{"other"}));
  }
  SECTION("again after somebody else wrote") {
    auto other = sk::Session::open(store, session.id()).value();
    other.append(sk::user("theirs")).value();
    session.append(sk::user("once")).value();
    Texts texts;
    for (auto const& entry : sk::load_log(*store, session.id()).value().entries)
      if (auto const* message = entry.as<sk::Message>()) texts.push_back(message->text());
    CHECK(std::count(texts.begin(), texts.end(), "once") == 1);
    CHECK(std::count(texts.begin(), texts.end(), "theirs") == 1);
  }
}

TEST_CASE("an id given by the caller stores nothing twice, in any later process") {
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  sk::AppendOptions options;
  options.id = sk::EntryId("delivery-7");
  sk::Generation made;
  made.model = "m";
  made.usage = sk::Usage{1, 2, 3, 4};
  auto message = sk::assistant("from a webhook");
  message.generation = made;
  session.append(message, options).value();
  session.append(sk::user("something else")).value();
  auto later = sk::Session::open(store, session.id()).value();
  CHECK(later.append(message, options).value() == *options.id);
  CHECK(texts_of(later) == Texts{"from a webhook", "something else"});
  CHECK(later.append(sk::assistant("another text"), options).error().code == sk::Errc::already_exists);
}

TEST_CASE("repeating a named append that must be durable syncs") {
  auto store = std::make_shared<FlakyStore>(sk::make_memory_store());
  auto session = sk::Session::create(store).value();
  sk::AppendOptions options;
  options.id = sk::EntryId("d");
  session.append(sk::user("q"), options).value();
  store->syncs = 0;
  options.ends_turn = true;
  session.append(sk::user("q"), options).value();
  CHECK(store->syncs == 1);
}

TEST_CASE("a named batch that was stored in part is completed") {
  auto store = sk::make_memory_store();
  sk::ToolUse const a{"a", "f", sk::RawJson::from("{}")}, b{"b", "f", sk::RawJson::from("{}")};
  std::vector<sk::Message> const batch{sk::assistant("x", a, b), sk::tool_result(a, "ra"),
                                       sk::tool_result(b, "rb")};
  sk::AppendOptions options;
  options.id = sk::EntryId("req");
  auto first = sk::Session::create(store).value();
  first.append(sk::user("q")).value();
  first
      .append_all({batch[0]},
                  [] {
                    sk::AppendOptions named;
                    named.id = sk::EntryId("req.1");
                    return named;
                  }())
      .value();
  auto later = sk::Session::open(store, first.id()).value();
  auto const ids = later.append_all(batch, options).value();
  REQUIRE(ids.size() == 3);
  CHECK(ids[0].str() == "req.1");
  CHECK(later.path().value().size() == 4);
  CHECK(later.append_all(batch, options).value() == ids);
  CHECK(later.path().value().size() == 4);
}

TEST_CASE("an id that exists on another branch is not a success") {
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  sk::AppendOptions options;
  options.id = sk::EntryId("u1");
  session.append(sk::user("q"), options).value();
  session.append(sk::assistant("a")).value();
  session.rewind({}).value();
  CHECK(session.append(sk::user("q"), options).error().code == sk::Errc::already_exists);
}
