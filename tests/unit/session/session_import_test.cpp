// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/session.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace sessionkit_test;

namespace {

sk::Timestamp at(std::string const& text) { return sk::parse_rfc3339(text).value(); }

sk::Timestamp const now = at("2026-05-01T12:00:00Z"), old = at("2021-03-04T05:06:07.089Z");

sk::SessionOptions options_of(sk::Profile const& profile) {
  sk::SessionOptions options;
  options.profile = profile;
  options.clock = [] { return now; };
  return options;
}

sk::AppendOptions with_time(sk::Timestamp time) {
  sk::AppendOptions options;
  options.time = time;
  return options;
}

std::vector<sk::Timestamp> times(sk::Session const& session) {
  std::vector<sk::Timestamp> all;
  for (auto const& entry : session.path().value()) all.push_back(entry.at);
  return all;
}
using Times = std::vector<sk::Timestamp>;

}

TEST_CASE("an append with a time keeps the order of appends and the time, in every dialect") {
  for (auto const& profile : {sk::profiles::native, sk::profiles::ai_panel, sk::profiles::claw0}) {
    CAPTURE(profile.name);
    auto session = sk::Session::create(sk::make_memory_store(profile), {}, options_of(profile)).value();
    session.append(sk::user("today")).value();
    session.append(sk::assistant("long ago"), with_time(old)).value();
    session.append_all({sk::user("a"), sk::assistant("b")}, with_time(old)).value();
    session.append(sk::user("today again")).value();
    session.end_turn().value();
    CHECK(times(session) == Times{now, old, old, old, now});
    CHECK(session.conversation().value()[1].entry.at == old);
    auto const history = session.history({}).value();
    REQUIRE(history.times.size() == history.messages.size());
    CHECK(history.times == Times{now, old, old, old, now});
  }
}

TEST_CASE("times stay beside their messages when a policy cuts, a rule joins, or a summary comes first") {
  auto session = sk::Session::create(sk::make_memory_store(), {}, options_of(sk::profiles::native)).value();
  session.append(sk::user("one")).value();
  session.append(sk::assistant(sk::ToolUse{"c", "t", sk::RawJson::from("{}")})).value();
  session.append(sk::user("two"), with_time(old)).value(); // a missing result is made, of the call
  session.append(sk::user("joined")).value();
  session.append(sk::assistant("answer")).value();
  sk::Target target;
  auto const whole = session.history(target).value();
  CHECK(whole.messages.size() == 5);
  CHECK(whole.times == Times{now, now, now, old, now});
  target.policies.emplace_back([](std::vector<sk::Message> const&) {
    sk::HistoryEdit edit;
    edit.drop = 3;
    edit.summary = "earlier";
    return edit;
  });
  target.provider = sk::Provider::native; // where the summary is a message's text
  auto const cut = session.history(target).value();
  CHECK(cut.messages.size() == 2);
  CHECK(cut.times == Times{old, now});
  target.mode = sk::RebuildMode::faithful;
  CHECK(session.history(target).value().times == Times{now, now, old, now, now});
}

TEST_CASE("an entry of any kind takes a time, and a turn passes it on") {
  auto session = sk::Session::create(sk::make_memory_store(), {}, options_of(sk::profiles::native)).value();
  session.append_entry(sk::CustomMessage{"note"}, with_time(old)).value();
  auto turn = session.begin_turn();
  turn.append(sk::user("q"), with_time(old)).value();
  turn.append(sk::assistant("a")).value();
  turn.commit().value();
  CHECK(times(session) == Times{old, old, now});
}

TEST_CASE("a session is never updated before it was created, and an import says when it was") {
  auto const store = sk::make_memory_store();
  auto imported = sk::Session::create(store, {}, options_of(sk::profiles::native)).value();
  imported.append(sk::user("long ago"), with_time(old)).value();
  CHECK(imported.info().value().created == now);
  CHECK(imported.info().value().updated == now);
  sk::NewSession about;
  about.created = old;
  auto dated = sk::Session::create(store, about, options_of(sk::profiles::native)).value();
  CHECK(dated.info().value().created == old);
  CHECK(dated.info().value().updated == old);
  dated.append(sk::user("later"), with_time(at("2022-01-01T00:00:00Z"))).value();
  CHECK(dated.info().value().updated == at("2022-01-01T00:00:00Z"));
  dated.append(sk::assistant("earlier"), with_time(at("2021-12-31T00:00:00Z"))).value();
  CHECK(dated.info().value().updated == at("2021-12-31T00:00:00Z")); // of the last entry
  CHECK(store->list({}).value().sessions.at(0).id == imported.id());
  about.created = {};
  CHECK(dated.fork(about).value().info().value().created == now);
  about.created = old;
  CHECK(dated.fork(about).value().info().value().created == old);
}

TEST_CASE("a time that no line can represent is refused, and nothing is stored") {
  auto session = sk::Session::create(sk::make_memory_store(), {}, options_of(sk::profiles::native)).value();
  for (char const* const text : {"0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"}) {
    auto const edge = at(text);
    session.append(sk::user("edge"), with_time(edge)).value();
    CHECK(session.last().value()->at == edge);
    CHECK(sk::to_rfc3339(edge) == text);
    auto const beyond = edge + std::chrono::milliseconds(edge < now ? -1 : 1);
    auto const end = session.end();
    auto const refused = session.append(sk::user("x"), with_time(beyond));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == sk::Errc::invalid_argument);
    CHECK(session.append_entry(sk::Custom{"x"}, with_time(beyond)).error().code
          == sk::Errc::invalid_argument);
    CHECK(session.end() == end);
    sk::NewSession about;
    about.created = beyond;
    CHECK(sk::Session::create(sk::make_memory_store(), about).error().code == sk::Errc::invalid_argument);
    CHECK(session.fork(about).error().code == sk::Errc::invalid_argument);
  }
}

TEST_CASE("an append that is repeated with another time is the one that is stored") {
  auto session = sk::Session::create(sk::make_memory_store(), {}, options_of(sk::profiles::native)).value();
  auto options = with_time(old);
  options.id = sk::EntryId("mine");
  session.append(sk::user("x"), options).value();
  options.time = {};
  session.append(sk::user("x"), options).value();
  CHECK(times(session) == Times{old});
}

TEST_CASE("the metadata of a new session can be read again, from its row and from its log") {
  auto const text =
      R"({"channel":"cli","depth":1.0,"spawned":{"by":"agent:main:root"},"n":12345678901234567890})";
  for (auto const& profile : {sk::profiles::native, sk::profiles::ai_panel, sk::profiles::claw0}) {
    CAPTURE(profile.name);
    auto const store = sk::make_memory_store(profile);
    sk::NewSession about;
    about.metadata = sk::RawJson::parse(text).value();
    auto const id = sk::Session::create(store, about).value().id();
    CHECK(store->info(id).value().metadata.str() == text);
    CHECK(store->list({}).value().sessions.at(0).metadata.str() == text);
    auto folded = sk::make_session_info(id);
    auto const page = store->read(id, {}).value();
    for (auto const& item : page.items()) sk::fold(folded, item, page.dialect);
    CHECK(folded.metadata.str() == text);
    CHECK(sk::Session::create(store).value().info().value().metadata.is_null());
  }
}
