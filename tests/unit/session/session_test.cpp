// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/flaky_store.hpp"
#include "support/logs.hpp"
#include "support/texts_of_session.hpp"

#include <sessionkit/session.hpp>

#include <algorithm>

using namespace sessionkit_test;

namespace {

sk::SessionOptions counted_ids() {
  sk::SessionOptions options;
  options.ids = [n = 0]() mutable { return "id" + std::to_string(++n); };
  return options;
}

}

TEST_CASE("resume opens the newest session of a key, and creates one only if there is none") {
  auto store = sk::make_memory_store();
  auto first = sk::Session::resume(store, "main:cli:user").value();
  first.append(sk::user("hello")).value();
  auto again = sk::Session::resume(store, "main:cli:user").value();
  CHECK(again.id() == first.id());
  CHECK(texts_of(again) == Texts{"hello"});
  CHECK(sk::Session::resume(store, "main:cli:other").value().id() != first.id());
  first.set_archived(true).value();
  CHECK(sk::Session::resume(store, "main:cli:user").value().id() != first.id());
}

TEST_CASE("an empty key names no session, not even one without a key") {
  auto store = sk::make_memory_store();
  sk::Session::create(store).value().append(sk::user("somebody's")).value();
  auto const resumed = sk::Session::resume(store, "");
  REQUIRE_FALSE(resumed);
  CHECK(resumed.error().code == sk::Errc::invalid_argument);
  CHECK(store->list({}).value().sessions.size() == 1);
}

TEST_CASE("open never creates and create never replaces") {
  auto store = sk::make_memory_store();
  CHECK(sk::Session::open(store, sid("nobody")).error().code == sk::Errc::not_found);
  sk::NewSession about;
  about.id = sid("taken");
  sk::Session::create(store, about).value();
  about.key = "another";
  CHECK(sk::Session::create(store, about).error().code == sk::Errc::already_exists);
}

TEST_CASE("an answer without calls ends the turn outside a Turn, and only commit ends it inside") {
  auto store = std::make_shared<FlakyStore>(sk::make_memory_store());
  auto session = sk::Session::create(store).value();
  store->syncs = 0;
  session.append(sk::user("q")).value();
  CHECK(store->syncs == 0);
  sk::ToolUse const call{"t1", "read_file", sk::RawJson::from(R"({"path":"x"})")};
  session.append(sk::assistant("looking", call)).value();
  session.append(sk::tool_result(call, "content")).value();
  CHECK(store->syncs == 0);
  session.append(sk::assistant("done")).value();
  CHECK(store->syncs == 1);

  auto turn = session.begin_turn();
  turn.append(sk::user("q2")).value();
  turn.append(sk::assistant("a2")).value();
  CHECK(store->syncs == 1);
  turn.commit().value();
  CHECK(store->syncs == 2);
  CHECK(turn.append(sk::user("late")).error().code == sk::Errc::invalid_argument);
}

TEST_CASE("a turn that is dropped leaves an entry in the log, and one that stored nothing leaves none") {
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  { auto turn = session.begin_turn(); }
  CHECK(session.path().value().empty());
  {
    auto turn = session.begin_turn();
    turn.append(sk::user("never answered")).value();
  }
  auto const path = session.path().value();
  REQUIRE(path.size() == 2);
  REQUIRE(path[1].as<sk::Custom>());
  CHECK(path[1].as<sk::Custom>()->type == "sessionkit.turn_aborted");
}

TEST_CASE("several results in one message become entries of their own, in order") {
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  sk::ToolUse const a{"a", "f", sk::RawJson::from("{}")}, b{"b", "f", sk::RawJson::from("{}")};
  session.append(sk::user("q")).value();
  session.append(sk::assistant(a, b)).value();
  session.append(sk::tool_results({{"a", "f", {sk::Text{"ra"}}}, {"b", "f", {sk::Text{"rb"}}, true}}))
      .value();
  auto const path = session.path().value();
  REQUIRE(path.size() == 4);
  auto const& last = std::get<sk::ToolResult>(path[3].as<sk::Message>()->parts.at(0));
  CHECK(last.tool_use_id == "b");
  CHECK(last.is_error);
}

TEST_CASE("a session that was removed and created again with equal lengths is not taken for the old one") {
  for (auto const on_conflict : {sk::OnConflict::rebase, sk::OnConflict::fork, sk::OnConflict::fail}) {
    auto store = sk::make_memory_store();
    sk::SessionOptions options = counted_ids();
    options.on_conflict = on_conflict;
    sk::NewSession about;
    about.id = sid("s");
    auto old = sk::Session::create(store, about, options).value();
    old.append(sk::user("old")).value();
    store->remove(sid("s")).value();
    sk::SessionOptions others;
    others.ids = [n = 0]() mutable { return "no" + std::to_string(++n); };
    auto fresh = sk::Session::create(store, about, others).value();
    auto const theirs = fresh.append(sk::user("new")).value();
    REQUIRE(fresh.end() == old.end());
    if (on_conflict == sk::OnConflict::fail) {
      CHECK(old.append(sk::user("more")).error().code == sk::Errc::conflict);
      CHECK(ids_of(old.refresh().value()) == std::vector<std::string>{theirs.str()});
    }
    REQUIRE(old.append(sk::user("more")).ok());
    CHECK(texts_of(old) == Texts{"new", "more"});
    CHECK(old.info().value().messages == 2);
  }
}

TEST_CASE(
    "two sessions on one log: rebase appends after the other, fail reports a conflict, fork makes a branch") {
  auto store = sk::make_memory_store();
  auto one = sk::Session::create(store).value();
  one.append(sk::user("1")).value();
  SECTION("rebase") {
    auto two = sk::Session::open(store, one.id()).value();
    one.append(sk::assistant("2")).value();
    two.append(sk::user("3")).value();
    CHECK(texts_of(two) == Texts{"1", "2", "3"});
  }
  SECTION("fail") {
    sk::SessionOptions options;
    options.on_conflict = sk::OnConflict::fail;
    auto two = sk::Session::open(store, one.id(), options).value();
    one.append(sk::assistant("2")).value();
    CHECK(two.append(sk::user("3")).error().code == sk::Errc::conflict);
    auto const news = two.refresh().value();
    REQUIRE(news.size() == 1);
    CHECK(news[0].as<sk::Message>()->text() == "2");
    two.append(sk::user("3")).value();
    CHECK(texts_of(two) == Texts{"1", "2", "3"});
  }
  SECTION("fork") {
    sk::SessionOptions options;
    options.on_conflict = sk::OnConflict::fork;
    auto two = sk::Session::open(store, one.id(), options).value();
    one.append(sk::assistant("2")).value();
    two.append(sk::assistant("3")).value();
    CHECK(texts_of(two) == Texts{"1", "3"});
    CHECK(one.leaves().value().size() == 2);
  }
}

TEST_CASE("rewind moves the leaf, and the next entry opens a branch there") {
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store, {}, counted_ids()).value();
  auto const first = session.append(sk::user("1")).value();
  session.append(sk::assistant("2")).value();
  session.rewind(first).value();
  CHECK(session.leaf() == first);
  session.append(sk::assistant("2b")).value();
  CHECK(texts_of(session) == Texts{"1", "2b"});
  CHECK(session.leaves().value().size() == 2);
  CHECK(session.rewind(sk::EntryId("nope")).error().code == sk::Errc::not_found);
  session.rewind({}).value();
  CHECK(session.context().value().entries.empty());
  session.append(sk::user("new root")).value();
  CHECK(texts_of(session) == Texts{"new root"});
}

TEST_CASE("a fork copies the path line for line and names where it came from") {
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  auto const first = session.append(sk::user("1")).value();
  session.set_label(first, "start").value();
  sk::Generation made;
  made.request_id = "r1";
  made.usage = sk::Usage{10, 5, 0, 0};
  auto answer = sk::assistant("2");
  answer.generation = made;
  session.append(answer).value();
  auto copy = session.fork().value();
  CHECK(copy.id() != session.id());
  CHECK(texts_of(copy) == Texts{"1", "2"});
  auto const info = copy.info().value();
  CHECK(info.parent_session == session.id().str());
  CHECK(info.labels.at(first.str()) == "start");
  CHECK(info.usage.input == 0); // counted in the original session
  CHECK(session.info().value().usage.input == 10);
  auto const from = store->read(session.id(), {}).value();
  auto const to = store->read(copy.id(), {}).value();
  REQUIRE(from.items().size() == to.items().size());
  for (std::size_t i = 1; i < from.items().size(); ++i) CHECK(from.items()[i].line == to.items()[i].line);
  copy.append(sk::user("3")).value();
  CHECK(texts_of(session) == Texts{"1", "2"});
}

TEST_CASE("a fork ends at the named entry, in logs without ids too, and does not change the leaf") {
  for (sk::Profile const& profile : {sk::profiles::native, sk::profiles::ai_panel, sk::profiles::claw0}) {
    CAPTURE(profile.name);
    sk::SessionOptions options;
    options.profile = profile;
    auto session = sk::Session::create(sk::make_memory_store(), {}, options).value();
    session.append(sk::user("1")).value();
    auto const middle = session.append(sk::assistant("2")).value();
    session.append(sk::user("3")).value();
    auto const leaf = session.append(sk::assistant("4")).value();
    auto copy = session.fork({}, middle).value();
    CHECK(texts_of(copy) == Texts{"1", "2"});
    CHECK(session.leaf() == leaf);
    CHECK(texts_of(session) == Texts{"1", "2", "3", "4"});
    CHECK(session.fork({}, sk::EntryId("nope")).error().code == sk::Errc::not_found);
  }
}

TEST_CASE("a fork of a path with a lost line is complete") {
  auto store = store_of("s", {log_header("s"), message_line("a", "", "user", "1"),
                              message_line("c", "lost", "assistant", "3")});
  auto session = sk::Session::open(store, sid("s")).value();
  auto copy = session.fork().value();
  CHECK(texts_of(copy) == Texts{"1", "3"});
  CHECK(copy.context().value().damage.empty());
}

TEST_CASE("title, state, labels and archive mark are entries and come back from the summary") {
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  auto const first = session.append(sk::user("What is this about?\nsecond line")).value();
  CHECK(session.info().value().display_title() == "What is this about? second lin");
  session.set_title("Made", false).value();
  session.set_title("Chosen").value();
  session.set_title("Made again", false).value();
  session.set_state("count", sk::RawJson::from("12345678901234567890")).value();
  session.set_state("ratio", sk::RawJson::from("1.0")).value();
  session.remove_state("ratio").value();
  session.set_label(first, "here").value();
  session.set_archived(true).value();
  auto again = sk::Session::open(store, session.id()).value();
  auto const info = again.info().value();
  CHECK(info.display_title() == "Chosen");
  CHECK(info.state.at("count").str() == "12345678901234567890");
  CHECK(info.state.count("ratio") == 0);
  CHECK(info.labels.at(first.str()) == "here");
  CHECK(info.archived);
  CHECK(info.turns == 1);
  CHECK(again.set_label(sk::EntryId("zz"), "x").error().code == sk::Errc::not_found);
}

TEST_CASE("before_append changes what is stored") {
  auto store = sk::make_memory_store();
  sk::SessionOptions options;
  options.before_append = [](sk::Entry& entry) {
    if (auto* message = std::get_if<sk::Message>(&entry.body))
      for (auto& part : message->parts)
        if (auto* text = std::get_if<sk::Text>(&part)) text->text = "[redacted]";
  };
  auto session = sk::Session::create(store, {}, options).value();
  session.append(sk::user("secret")).value();
  CHECK(texts_of(session) == Texts{"[redacted]"});
}

TEST_CASE("a request of a session is the context rebuilt and encoded") {
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  session.append(sk::user("hi")).value();
  sk::Target target;
  target.system = "terse";
  auto const body = session.request(target).value();
  CHECK(body.system == R"("terse")");
  CHECK(body.messages == R"([{"role":"user","content":[{"type":"text","text":"hi"}]}])");
}

TEST_CASE("JSON too deep for a line is refused before anything is written") {
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  for (std::size_t depth = 100; depth <= 128; ++depth) {
    auto const raw = sk::RawJson::parse(std::string(depth, '[') + std::string(depth, ']')).value();
    auto const stored = session.append(sk::assistant("text", sk::ToolUse{"t", "f", raw}));
    CAPTURE(depth);
    if (stored) CHECK(texts_of(session).back() == "text");
    if (!stored) CHECK(stored.error().code == sk::Errc::invalid_argument);
    auto const kept = session.set_state("k", raw);
    auto fresh = sk::Session::open(store, session.id()).value();
    if (kept) CHECK(fresh.info().value().state.at("k") == raw);
  }
  CHECK(session.context().value().damage.empty());
}

TEST_CASE("ids that are empty or look like a computed place are refused") {
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  session.append(sk::user("1")).value();
  for (char const* const id : {"", "@17"}) {
    sk::AppendOptions options;
    options.id = sk::EntryId(id);
    CHECK(session.append(sk::user("2"), options).error().code == sk::Errc::invalid_argument);
    CHECK(session.append_all({sk::user("2"), sk::user("3")}, options).error().code
          == sk::Errc::invalid_argument);
  }
  sk::SessionOptions no_ids;
  no_ids.ids = [] { return std::string(); };
  auto other = sk::Session::open(store, session.id(), no_ids).value();
  CHECK(other.append(sk::user("2")).error().code == sk::Errc::invalid_argument);
  CHECK(texts_of(session) == Texts{"1"});
}

TEST_CASE("metadata and extra members do not replace members that the library wrote") {
  auto store = sk::make_memory_store();
  sk::SessionOptions hook;
  hook.before_append = [](sk::Entry& entry) {
    entry.extra = sk::RawJson::from(R"({"id":"evil","parentId":"evil","mine":1})");
  };
  auto session = sk::Session::create(store, {}, hook).value();
  auto message = sk::user("hi");
  message.metadata = sk::RawJson::from(R"({"role":"assistant","content":"EVIL","mine":2})");
  session.append(message).value();
  session.append(sk::user("two")).value();
  auto again = sk::Session::open(store, session.id()).value();
  CHECK(texts_of(again) == Texts{"hi", "two"});
  CHECK(again.path().value().at(0).extra.str() == R"({"mine":1})");
  message.metadata = sk::RawJson::from("[1]");
  CHECK(again.append(message).error().code == sk::Errc::unsupported);
}

TEST_CASE("a turn keeps its session when that object is moved") {
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  auto const id = session.id();
  auto turn = session.begin_turn();
  auto moved = std::move(session);
  turn.append(sk::user("1")).value();
  moved = sk::Session::create(store).value();
  turn.append(sk::assistant("2")).value();
  turn.commit().value();
  auto again = sk::Session::open(store, id).value();
  CHECK(texts_of(again) == Texts{"1", "2"});
  CHECK(moved.path().value().empty());
}

TEST_CASE("a null store is an error") {
  CHECK(sk::Session::resume(nullptr, "k").error().code == sk::Errc::invalid_argument);
  CHECK(sk::Session::create(nullptr).error().code == sk::Errc::invalid_argument);
  CHECK(sk::Session::open(nullptr, sid("x")).error().code == sk::Errc::invalid_argument);
}

TEST_CASE("entries whose lines carry no id are continued, and not referred to") {
  auto store = store_of(
      "s",
      {R"({"type":"session","id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"})",
       R"({"type":"message","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"1"}})",
       R"({"type":"message","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"assistant","content":[]}})"});
  auto session = sk::Session::open(store, sid("s")).value();
  auto const first = session.path().value().at(0).id;
  CHECK(session.set_label(first, "x").error().code == sk::Errc::unsupported);
  CHECK(session.rewind(first).error().code == sk::Errc::unsupported);
  session.append(sk::user("2")).value();
  sk::ReadRange newest;
  newest.order = sk::ReadRange::newest_first;
  newest.max_records = 1;
  auto const page = store->read(sid("s"), newest).value();
  CHECK(page.items().at(0).line.find('@') == std::string_view::npos);
  CHECK(texts_of(session).size() == 3);
  auto copy = session.fork().value();
  CHECK(texts_of(copy).size() == 3);
  copy.append(sk::assistant("3")).value();
  CHECK(copy.context().value().damage.empty());
  copy.rewind(copy.path().value().at(0).id).value();
}

TEST_CASE("an unknown entry cannot be taken for a header or a message") {
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  CHECK(session.append_entry(sk::Unknown{"session", sk::RawJson::from("{}")}).error().code
        == sk::Errc::invalid_argument);
  CHECK(session.append_entry(sk::Unknown{"message", sk::RawJson::from("[1]")}).error().code
        == sk::Errc::invalid_argument);
  session.append_entry(sk::Unknown{"future", sk::RawJson::from(R"({"x":1})")}).value();
  CHECK(session.path().value().at(0).as<sk::Unknown>()->type == "future");
}

TEST_CASE("with OnConflict::fail no entry of others is skipped unseen") {
  auto store = sk::make_memory_store();
  auto one = sk::Session::create(store).value();
  sk::SessionOptions options;
  options.on_conflict = sk::OnConflict::fail;
  auto two = sk::Session::open(store, one.id(), options).value();
  one.append(sk::user("theirs")).value();
  CHECK(two.append(sk::user("mine")).error().code == sk::Errc::conflict);
  two.set_title("title").value();
  CHECK(two.append(sk::user("mine")).error().code == sk::Errc::conflict);
  auto const news = two.refresh().value();
  REQUIRE(news.size() == 1);
  CHECK(news[0].as<sk::Message>()->text() == "theirs");
  two.append(sk::user("mine")).value();
}

TEST_CASE("logs without a session header, and of a newer version, are read and not continued") {
  auto alien = store_of("s", {R"({"type":"user","uuid":"1","message":{"role":"user","content":"x"}})"});
  CHECK(sk::Session::open(alien, sid("s")).value().append(sk::user("x")).error().code
        == sk::Errc::unsupported);
  auto newer = store_of(
      "s", {R"({"type":"session","version":99,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"})",
            message_line("a", "", "user", "1")});
  auto session = sk::Session::open(newer, sid("s")).value();
  CHECK(texts_of(session) == Texts{"1"});
  CHECK(session.append(sk::user("x")).error().code == sk::Errc::unsupported_version);
}
