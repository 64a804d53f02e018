// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/retention.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/session_key.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

namespace sk = sessionkit;
using namespace sessionkit_test;
using Json = nlohmann::json;
using std::chrono::hours;

namespace {

sk::Timestamp const now = sk::parse_rfc3339("2026-06-01T12:00:00Z").value();

sk::SessionInfo session(std::string const& id, hours idle, std::uint64_t bytes = 100) {
  sk::SessionInfo info = sk::make_session_info(sk::SessionId::parse(id).value());
  info.key = "key-" + id;
  info.updated = now - idle;
  info.created = now - idle - hours(1);
  info.end = sk::Position(bytes);
  return info;
}

// "id reason" of each removal.
std::vector<std::string> removals(std::vector<sk::SessionInfo> const& sessions,
                                  sk::RetentionPolicy const& policy) {
  auto const plan = sk::plan_retention(sessions, policy, now);
  std::vector<std::string> all;
  for (auto const& removal : plan.removals) all.push_back(removal.id.str() + " " + to_string(removal.reason));
  CHECK(plan.kept == sessions.size() - all.size());
  return all;
}
using Texts = std::vector<std::string>;

// One session for each key, last written `idle` ago.
void store_session(std::shared_ptr<sk::SessionStore> const& store, std::string const& id, hours idle) {
  sk::NewSession about;
  about.id = sk::SessionId::parse(id).value();
  about.key = "key-" + id;
  sk::SessionOptions options;
  options.clock = [idle] { return now - idle; };
  auto made = sk::Session::create(store, about, options).value();
  made.append(sk::user("hello")).value();
  made.append(sk::assistant("hi")).value();
}

}

TEST_CASE("sessions go by age and by count as OpenClaw maintains its store") {
  Json const cases = Json::parse(read_file(data("openclaw/maintenance.json")));
  REQUIRE(cases.size() == 25);
  std::size_t capped = 0;
  for (Json const& one : cases) {
    CAPTURE(one.dump());
    std::vector<sk::SessionInfo> sessions;
    for (auto const& item : one["store"].items()) {
      auto info =
          sk::make_session_info(sk::SessionId::parse(item.value()["sessionId"].get<std::string>()).value());
      info.key = item.key();
      info.updated = sk::from_unix_ms(item.value().value("updatedAt", std::int64_t{0}));
      sessions.push_back(std::move(info));
    }
    sk::RetentionPolicy policy;
    policy.idle = std::chrono::milliseconds(one["pruneAfterMs"].get<std::int64_t>());
    std::size_t const most = one["maxEntries"];
    policy.max_sessions = most;
    policy.slack = most <= 49 ? 0 : std::max<std::size_t>(25, (most + 9) / 10) - 1; // its high water mark
    policy.protected_keys = one["protectedKeys"].get<std::vector<std::string>>();
    if (one["activeSessionKey"].is_string()) policy.protected_keys.push_back(one["activeSessionKey"]);
    auto const plan = sk::plan_retention(sessions, policy, sk::from_unix_ms(one["now"].get<std::int64_t>()));
    auto const by = [&](sk::RetentionReason reason) {
      return static_cast<std::size_t>(std::count_if(plan.removals.begin(), plan.removals.end(),
                                                    [&](auto const& r) { return r.reason == reason; }));
    };
    CHECK(by(sk::RetentionReason::idle) == one["pruned"]);
    CHECK(by(sk::RetentionReason::count) == one["capped"]);
    capped += by(sk::RetentionReason::count) != 0;
    std::set<std::string> left;
    for (auto const& info : sessions) left.insert(info.key);
    for (auto const& removal : plan.removals) left.erase(removal.key);
    CHECK(left == one["remainingKeys"].get<std::set<std::string>>());
  }
  CHECK(capped > 5);
}

TEST_CASE("nothing is removed unless asked") {
  CHECK(removals({session("old", hours(1000000)), session("new", hours(0))}, {}).empty());
}

TEST_CASE("idle and old sessions are removed, with the reason in words, but not one without a time") {
  sk::RetentionPolicy policy;
  policy.idle = hours(48);
  auto timeless = session("timeless", hours(0));
  timeless.updated = timeless.created = {};
  std::vector<sk::SessionInfo> sessions{session("b", hours(49)), session("a", hours(100)),
                                        session("edge", hours(48)), timeless, session("future", hours(-99))};
  CHECK(removals(sessions, policy) == Texts{"a idle", "b idle"});
  CHECK(sk::plan_retention(sessions, policy, now).removals[0].why
        == "no entry for 4 d 4 h, the limit is 2 d 0 h");
  policy.age = hours(24);
  CHECK(removals(sessions, policy) == Texts{"a idle", "b idle", "edge age"});
  CHECK(sk::plan_retention(sessions, policy, now).removals[2].why
        == "created 2 d 1 h ago, the limit is 1 d 0 h");
}

TEST_CASE("caps by count and by bytes remove the oldest, and never a protected session") {
  std::vector<sk::SessionInfo> const sessions{session("c", hours(3)), session("a", hours(5)),
                                              session("e", hours(1)), session("b", hours(4)),
                                              session("d", hours(2))};
  sk::RetentionPolicy policy;
  policy.max_sessions = 3;
  CHECK(removals(sessions, policy) == Texts{"a count", "b count"});
  policy.slack = 2;
  CHECK(removals(sessions, policy).empty());
  policy.slack = 1;
  policy.protected_keys = {"key-a", "key-b", "key-c", ""};
  CHECK(removals(sessions, policy) == Texts{"d count", "e count"});
  policy.protected_keys = {"key-a"};
  policy.is_protected = [](sk::SessionInfo const& info) { return info.id.str() == "c"; };
  CHECK(removals(sessions, policy) == Texts{"b count", "d count"});

  policy = {};
  policy.max_bytes = 250;
  CHECK(removals(sessions, policy) == Texts{"a bytes", "b bytes", "c bytes"});
  policy.protected_keys = {"key-b"};
  CHECK(removals(sessions, policy) == Texts{"a bytes", "c bytes", "d bytes"});
  policy.idle = hours(2);
  CHECK(removals(sessions, policy) == Texts{"a idle", "c idle", "d bytes"});
}

TEST_CASE("sessions that hold shared state are kept and not counted") {
  auto of_agent = session("of-agent", hours(9)), of_user = session("of-user", hours(0));
  of_agent.key = sk::state_key("main");
  of_user.key = sk::state_key("main", "ada");
  std::vector<sk::SessionInfo> sessions{of_agent, of_user, session("a", hours(5))};
  sk::RetentionPolicy policy;
  policy.max_sessions = 1;
  CHECK(removals(sessions, policy).empty());
  sessions.push_back(session("b", hours(4)));
  CHECK(removals(sessions, policy) == Texts{"a count"});
  CHECK(sk::plan_retention(sessions, policy, now).removals[0].why == "2 sessions, the limit is 1");
  policy.slack = 1;
  CHECK(removals(sessions, policy).empty());
}

TEST_CASE("only sessions that exceed a limit are looked up as protected") {
  std::vector<sk::SessionInfo> const sessions{session("c", hours(3)), session("a", hours(5)),
                                              session("b", hours(4)), session("d", hours(2))};
  Texts asked;
  sk::RetentionPolicy policy;
  policy.idle = hours(99);
  policy.max_sessions = 3;
  policy.is_protected = [&](sk::SessionInfo const& info) {
    asked.push_back(info.id.str());
    return info.id.str() == "a";
  };
  CHECK(sk::plan_retention(sessions, policy, now).removals.size() == 1);
  CHECK(asked == Texts{"a", "b"});
}

TEST_CASE("a plan moves the sessions of a store to its trash and reports each") {
  TempDir dir;
  auto store = sk::open_file_store(dir / "s").value();
  for (int i = 0; i < 450; ++i) store_session(store, "s" + std::to_string(i), hours(i));
  sk::RetentionPolicy policy;
  policy.idle = hours(439) + std::chrono::minutes(30);
  auto const plan = sk::plan_retention(*store, policy, now).value();
  CHECK(plan.kept == 440);
  REQUIRE(plan.removals.size() == 10);
  std::vector<std::string> reported;
  auto const outcome = sk::apply_retention(*store, plan, [&](sk::Event const& event) {
    CHECK(event.kind == sk::Event::retention);
    reported.push_back(event.session + ": " + event.message);
  });
  CHECK(outcome.removed.size() == 10);
  CHECK(outcome.skipped.empty());
  CHECK(outcome.failed.empty());
  REQUIRE(reported.size() == 10);
  CHECK(reported[0] == "s449: removed: no entry for 18 d 17 h, the limit is 18 d 7 h");
  CHECK(store->info(plan.removals[0].id).error().code == sk::Errc::not_found);
  auto const trash = std::filesystem::directory_iterator(dir / "s/trash");
  CHECK(std::distance(begin(trash), end(trash)) == 10);
  CHECK(sk::apply_retention(*store, plan).skipped.size() == 10); // gone already
}

TEST_CASE("a session that was continued since the plan stays") {
  auto store = sk::make_memory_store();
  store_session(store, "a", hours(100));
  store_session(store, "b", hours(100));
  sk::RetentionPolicy policy;
  policy.idle = hours(1);
  auto const plan = sk::plan_retention(*store, policy, now).value();
  REQUIRE(plan.removals.size() == 2);
  auto busy = sk::Session::open(store, plan.removals[0].id).value();
  busy.append(sk::user("wait")).value();
  auto const outcome = sk::apply_retention(*store, plan);
  CHECK(outcome.skipped == std::vector<sk::SessionId>{plan.removals[0].id});
  CHECK(outcome.removed == std::vector<sk::SessionId>{plan.removals[1].id});
  busy.append(sk::assistant("still here")).value();
}

TEST_CASE("reading, listing and a new index make no session younger") {
  TempDir dir;
  sk::RetentionPolicy policy;
  policy.idle = hours(24);
  {
    auto store = sk::open_file_store(dir / "s").value();
    store_session(store, "a", hours(100));
  }
  sk::reindex_file_store(dir / "s").value();
  auto store = sk::open_file_store(dir / "s").value();
  auto session = sk::Session::open(store, sk::SessionId::parse("a").value()).value();
  session.history({}).value();
  CHECK(sk::plan_retention(*store, policy, now).value().removals.size() == 1);
}
