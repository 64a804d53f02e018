// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/forwarding_store.hpp"
#include "support/logs.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <new>
#include <optional>
#include <type_traits>
#include <utility>

using namespace sessionkit_test;

namespace {

std::vector<std::string> texts_of(sk::Session const& session) {
  std::vector<std::string> texts;
  for (auto const& entry : session.context().value().entries)
    if (auto const* message = entry.as<sk::Message>()) texts.push_back(message->text());
  return texts;
}
using Texts = std::vector<std::string>;

template <class T> sk::Errc code(sk::Result<T> const& result) {
  REQUIRE_FALSE(result);
  CHECK_FALSE(result.error().message.empty());
  return result.error().code;
}

// A clock that throws from a chosen moment on: it is called for each entry that is stored.
struct ThrowingClock {
  std::shared_ptr<bool> throws = std::make_shared<bool>(false);
  sk::Timestamp operator()() const {
    if (*throws) throw std::bad_alloc();
    return {};
  }
};

// A store in which memory runs out on request.
class ThrowingStore final : public ForwardingStore {
 public:
  ThrowingStore() : ForwardingStore(sk::make_memory_store()) {}
  bool throws = false;
  std::size_t thrown = 0;

  sk::Result<sk::Position> append(sk::SessionId const& id, sk::Append const& batch) override {
    thrown += throws;
    if (throws) throw std::bad_alloc();
    return inner_->append(id, batch);
  }
};

}

TEST_CASE("every call on an empty session answers an error") {
  bool const moved_from = GENERATE(true, false);
  auto kept = sk::Session::create(sk::make_memory_store()).value();
  kept.append(sk::user("hello")).value();
  sk::Session session;
  CHECK_FALSE(session);
  if (moved_from) {
    session = std::move(kept);
    CHECK(session);
    CHECK_FALSE(kept); // NOLINT(bugprone-use-after-move)
    kept = std::move(session);
  }
  CHECK(kept);
  constexpr auto invalid = sk::Errc::invalid_argument;
  CHECK(code(session.append(sk::user("x"))) == invalid);
  CHECK(code(session.append_all({sk::user("x")})) == invalid);
  CHECK(code(session.append_all({})) == invalid);
  CHECK(code(session.append_entry(sk::Custom{"note"})) == invalid);
  CHECK(code(session.end_turn()) == invalid);
  CHECK(code(session.set_title("x")) == invalid);
  CHECK(code(session.set_archived(true)) == invalid);
  CHECK(code(session.set_label(kept.leaf(), "x")) == invalid);
  CHECK(code(session.set_state("k", sk::RawJson::from("v"))) == invalid);
  CHECK(code(session.remove_state("k")) == invalid);
  CHECK(code(session.info()) == invalid);
  CHECK(code(session.refresh()) == invalid);
  CHECK(code(session.path()) == invalid);
  CHECK(code(session.last()) == invalid);
  CHECK(code(session.counts()) == invalid);
  CHECK(code(session.conversation()) == invalid);
  CHECK(code(session.conversation(sk::Target{})) == invalid);
  CHECK(code(session.leaves()) == invalid);
  CHECK(code(session.rewind({})) == invalid);
  CHECK(code(session.fork()) == invalid);
  CHECK(code(session.context()) == invalid);
  CHECK(code(session.history({})) == invalid);
  CHECK(code(session.request({})) == invalid);
  CHECK(code(session.plan_compaction(session.compaction_policy())) == invalid);
  auto summarizer =
      sk::make_summarizer([](sk::SummaryRequest const&) { return sk::Result<std::string>("s"); });
  CHECK(code(session.compact(summarizer)) == invalid);
  CHECK(code(session.apply(sk::CompactionPlan{}, std::string("s"))) == invalid);
  CHECK(code(session.apply(sk::CompactionPlan{}, sk::Result<std::string>(sk::Error{sk::Errc::timed_out})))
        == invalid);
  CHECK(session.id().str() == "no-session");
  CHECK(session.leaf().empty());
  CHECK(session.end() == sk::Position{});
  auto turn = session.begin_turn();
  CHECK(code(turn.append(sk::user("x"))) == invalid);
  CHECK(code(turn.commit()) == invalid);
  CHECK(code(turn.abort()) == invalid);
  CHECK(texts_of(kept) == Texts{"hello"});
  session = sk::Session::create(sk::make_memory_store()).value(); // and may be used again
  CHECK(session.append(sk::user("again")));
}

TEST_CASE("a second turn does nothing while the first is open") {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  auto turn = session.begin_turn();
  turn.append(sk::user("one")).value();
  {
    auto second = session.begin_turn();
    CHECK(code(second.append(sk::user("two"))) == sk::Errc::invalid_argument);
    CHECK(code(second.commit()) == sk::Errc::invalid_argument);
    CHECK(code(second.abort()) == sk::Errc::invalid_argument);
    auto const moved = std::move(second);
  } // aborts nothing
  turn.append(sk::assistant("answer")).value();
  turn.commit().value();
  CHECK(texts_of(session) == Texts{"one", "answer"});
  CHECK(session.path().value().size() == 2); // nothing says that a turn was given up
  auto next = session.begin_turn();
  next.append(sk::user("two")).value();
  next.commit().value();
  CHECK(texts_of(session) == Texts{"one", "answer", "two"});
}

TEST_CASE("a turn that was refused stays refused after the first one ends") {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  std::optional<sk::Turn> first(session.begin_turn());
  auto second = session.begin_turn();
  first.reset();
  CHECK(code(second.append(sk::user("x"))) == sk::Errc::invalid_argument);
  CHECK(session.begin_turn().append(sk::user("y")));
}

TEST_CASE("an ended turn answers invalid_argument") {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  auto turn = session.begin_turn();
  turn.commit().value();
  CHECK(code(turn.commit()) == sk::Errc::invalid_argument);
  auto moved = session.begin_turn();
  auto const taken = std::move(moved);
  CHECK(code(moved.append(sk::user("x"))) == sk::Errc::invalid_argument);
}

TEST_CASE("the destructors of turns and sessions let no exception out") {
  STATIC_REQUIRE(std::is_nothrow_destructible<sk::Turn>::value);
  ThrowingClock const clock;
  sk::SessionOptions options;
  options.clock = clock;
  {
    auto session = sk::Session::create(sk::make_memory_store(), {}, options).value();
    auto turn = session.begin_turn();
    turn.append(sk::user("one")).value();
    *clock.throws = true; // the entry that says the turn was given up needs a time
  }
}

TEST_CASE("a store that throws while a session stores its last results does not end the program") {
  auto store = std::make_shared<ThrowingStore>();
  sk::SessionOptions options;
  options.profile = sk::profiles::ai_panel; // results wait for one another
  {
    auto session = sk::Session::create(store, {}, options).value();
    sk::ToolUse const a{"a", "t", {}}, b{"b", "t", {}};
    session.append(sk::user("q")).value();
    session.append(sk::assistant(a, b)).value();
    session.append(sk::tool_result(a, "1")).value();
    store->throws = true;
  }
  CHECK(store->thrown == 1);
}

TEST_CASE("queries of a session are const") {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  session.append(sk::user("hello")).value();
  sk::Session const& seen = session;
  CHECK(seen.info().value().messages == 1);
  CHECK(seen.path().value().size() == 1);
  CHECK(seen.leaves().value() == std::vector<sk::EntryId>{seen.leaf()});
  CHECK(seen.context().value().entries.size() == 1);
  CHECK(seen.history({}).value().messages.size() == 1);
  CHECK_FALSE(seen.request({}).value().messages.empty());
  CHECK_FALSE(seen.plan_compaction(seen.compaction_policy()).value());
}

TEST_CASE("an id is given to one session only, also in the same millisecond and with the same time") {
  TempDir dir;
  for (auto const& store : {sk::make_memory_store(), sk::open_file_store(dir.path()).value()}) {
    sk::SessionOptions options;
    options.clock = [] { return sk::from_unix_ms(1'700'000'000'000); };
    sk::NewSession about;
    about.id = sid("taken");
    auto first = sk::Session::create(store, about, options).value();
    CHECK(sk::Session::create(store, about, options).error().code == sk::Errc::already_exists);
    about.created = sk::from_unix_ms(1);
    CHECK(sk::Session::create(store, about, options).error().code == sk::Errc::already_exists);
    about.id = sid("copy");
    first.append(sk::user("q")).value();
    CHECK(first.fork(about).ok());
    CHECK(first.fork(about).error().code == sk::Errc::already_exists);
    about.id = sid("imported");
    CHECK(sk::Session::create(store, about, options).ok());
    CHECK(sk::Session::create(store, about, options).error().code == sk::Errc::already_exists);
  }
}
