// SPDX-License-Identifier: MIT
#include "hosts.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"

#include <sessionkit/copy.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/retention.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace sessionkit_test {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

using Store = std::shared_ptr<sk::SessionStore>;

std::vector<std::string> fixtures() {
  std::vector<std::string> paths;
  for (auto const& entry : fs::recursive_directory_iterator(data("")))
    if (entry.path().extension() == ".jsonl") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> lines_of(sk::SessionStore& store, sk::SessionId const& id) {
  std::vector<std::string> lines;
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const page = store.read(id, range).value();
    for (auto const& item : page.items()) lines.emplace_back(item.line);
    range.from = page.next;
    more = page.more;
  }
  return lines;
}

std::string request_of(sk::SessionStore& store, sk::SessionId const& id) {
  std::string all;
  for (auto const provider : {sk::Provider::anthropic, sk::Provider::openai_chat}) {
    sk::Target target;
    target.provider = provider;
    auto const history = sk::HistoryRebuilder(target).rebuild(sk::load_context(store, id).value());
    auto const parts = sk::encode(history, target);
    all += parts.system + "\n" + parts.messages + "\n";
  }
  return all;
}

void copies(sk::SessionStore& from, sk::SessionStore& to, sk::SessionId const& id) {
  auto const done = sk::copy_session(from, to, id).value();
  CHECK(done.before == sk::CopyState::missing);
  CHECK(done.after == sk::CopyState::same);
  CHECK(done.losses.empty());
  CHECK(lines_of(to, id) == lines_of(from, id));
  CHECK(request_of(to, id) == request_of(from, id));
}

/// Text that ends strings, leaves folders, matches patterns, or is a keyword of another program.
std::string hostile_text(Random& random) {
  std::string text;
  for (std::size_t n = 1 + random.below(4); n > 0; --n)
    text += random.one_of({"../",
                           "/",
                           "..",
                           "\\",
                           "'",
                           "\"",
                           "'; DROP TABLE sessions; --",
                           "%",
                           "_",
                           "*",
                           "{}",
                           "\n",
                           "\r",
                           "\t",
                           "\x01",
                           "\x7F",
                           ":",
                           "::",
                           "agent:main:main",
                           "NULL",
                           "null",
                           "$1",
                           "?",
                           " ",
                           "\xC3\xA9",
                           "\xE2\x80\xA8",
                           "\xF0\x9F\x9A\x80",
                           "\xEF\xBF\xBD",
                           "e\xCC\x81",
                           "sessions.json",
                           ".lock",
                           ".jsonl",
                           "CON",
                           "a",
                           "A",
                           "0",
                           "/etc/passwd",
                           "~",
                           "@last"});
  if (random.one_in(20)) text += std::string(1, '\0') + "b";
  return text;
}
std::string unlike_any(Random& random, std::size_t i) {
  return hostile_text(random) + std::to_string(i) + hostile_text(random);
}

sk::RawJson hostile_value(Random& random, std::size_t i) {
  switch (random.below(6)) {
  case 0: return sk::RawJson::integer(static_cast<std::int64_t>(random.bits()));
  case 1: return sk::RawJson::number(static_cast<double>(random.below(1000)) / 8);
  case 2: return {};
  case 3: return sk::RawJson::from("12345678901234567890123." + std::to_string(i));
  case 4:
    return sk::RawJson::from("[" + sk::RawJson::string(hostile_text(random)).str() + R"(,{"a":-0,"a":[]}])");
  default: return sk::RawJson::string(hostile_text(random));
  }
}

std::map<std::string, std::string> keys_of(sk::SessionStore& store) {
  std::map<std::string, std::string> keys;
  sk::ListQuery query;
  query.limit = 500;
  do {
    auto page = store.list(query).value();
    for (auto const& info : page.sessions) keys[info.id.str()] = info.key;
    query.cursor = page.next;
  } while (!query.cursor.empty());
  return keys;
}

void keeps_hostile_keys(OpenStore const& open, std::size_t count, Random& random) {
  auto const before = keys_of(*open());
  std::map<std::string, std::string> keys = before;
  {
    auto const store = open();
    for (std::size_t i = 0; i < count; ++i) {
      sk::NewSession about;
      about.key = unlike_any(random, i);
      keys[sk::Session::create(store, about).value().id().str()] = about.key;
    }
  }
  auto const store = open();
  REQUIRE(keys_of(*store) == keys);
  std::size_t looked_up = 0;
  for (auto const& [id, key] : keys) {
    if (++looked_up % (1 + count / 200) != 0) continue;
    sk::ListQuery of_key;
    of_key.key = key;
    auto const newest = sk::newest_session(*store, of_key).value();
    REQUIRE(newest);
    REQUIRE(newest->id.str() == id);
  }
}

void keeps_hostile_entries(OpenStore const& open, std::size_t count, Random& random) {
  auto const store = open();
  auto session = sk::Session::create(store).value();
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i) {
    sk::AppendOptions named;
    named.id = sk::EntryId("x" + unlike_any(random, i));
    ids.push_back(session.append(sk::user("m"), named).value().str());
    REQUIRE(ids.back() == named.id->str());
  }
  auto const path = sk::load_path(*open(), session.id()).value();
  REQUIRE(path.size() == count);
  for (std::size_t i = 0; i < count; ++i) REQUIRE(path[i].id.str() == ids[i]);
}

void keeps_hostile_state(OpenStore const& open, std::size_t count, Random& random) {
  constexpr std::size_t in_one_session = 1000;
  for (std::size_t done = 0; done < count; done += in_one_session) {
    auto const store = open();
    auto const id = sk::Session::create(store).value().id();
    sk::StateChange change;
    for (std::size_t i = 0; i < std::min(in_one_session, count - done); ++i)
      change.set.emplace_back(unlike_any(random, i), hostile_value(random, i));
    sk::update_state(store, id, change).value();
    std::map<std::string, sk::RawJson> const expected(change.set.begin(), change.set.end());
    REQUIRE(open()->info(id).value().state == expected);
  }
}

}

namespace {

// Bytes that are not text are U+FFFD from the first read on, and name the same session each time.
void agrees_on_bytes_that_are_no_text(OpenStore const& open) {
  std::string const bytes = "telegram:\xFF\xFE/\xC3", text = "telegram:\xEF\xBF\xBD\xEF\xBF\xBD/\xEF\xBF\xBD";
  std::set<std::string> ids;
  for (int times = 0; times < 3; ++times) {
    auto session = sk::Session::resume(open(), bytes).value();
    session.set_state("\xFF" + std::to_string(times), sk::RawJson::integer(times)).value();
    session.remove_state("\xFF" + std::string("0")).value();
    CHECK(session.info().value().key == text);
    ids.insert(session.id().str());
  }
  CHECK(ids.size() == 1);
  auto const id = sk::SessionId::parse(*ids.begin()).value();
  std::map<std::string, sk::RawJson> const state{{"\xEF\xBF\xBD"
                                                  "1",
                                                  sk::RawJson::integer(1)},
                                                 {"\xEF\xBF\xBD"
                                                  "2",
                                                  sk::RawJson::integer(2)}};
  CHECK(open()->info(id).value().state == state);

  sk::NewSession about;
  about.agent = about.user = bytes;
  auto const other = sk::Session::create(open(), about).value().id();
  for (auto sk::ListQuery::*filter : {&sk::ListQuery::agent, &sk::ListQuery::user}) {
    for (auto const& asked : {bytes, text}) {
      sk::ListQuery query;
      query.*filter = asked;
      auto const page = sk::list_sessions(*open(), query, 0).value();
      REQUIRE(page.sessions.size() == 1);
      CHECK(page.sessions[0].id == other);
      CHECK(page.sessions[0].user == text);
    }
  }
}

}

void copies_every_fixture(OpenStore const& open) {
  auto const paths = fixtures();
  REQUIRE(paths.size() >= 29);
  for (auto const& path : paths) {
    INFO(path);
    auto const file = sk::open_transcript(path).value();
    auto const id = file->list({}).value().sessions.at(0).id;
    auto const store = open();
    copies(*file, *store, id);
    TempDir dir;
    copies(*open(), *sk::open_file_store(dir / "back").value(), id);
    CHECK(sk::copy_session(*file, *sk::open_file_store(dir / "back").value(), id).value().before
          == sk::CopyState::same);
    store->remove(id).value();
  }
}

void keeps_hostile_names(OpenStore const& open, std::size_t count) {
  std::uint64_t const seed = 6;
  INFO("seed " << seed);
  Random random(seed);
  agrees_on_bytes_that_are_no_text(open);
  keeps_hostile_keys(open, count, random);
  keeps_hostile_entries(open, count, random);
  keeps_hostile_state(open, count, random);
}

void keeps_typed_state(OpenStore const& open) {
  std::map<std::string, std::string> const values{{"offset", "12"},
                                                  {"ratio", "2.0"},
                                                  {"huge", "12345678901234567890123"},
                                                  {"tiny", "1e-300"},
                                                  {"minus", "-0"},
                                                  {"none", "null"},
                                                  {"yes", "true"},
                                                  {"text", R"("\u0000\ud83d")"},
                                                  {"list", R"([1, 2.50,{"b":1,"a":2,"b":3}])"},
                                                  {"", R"("no name")"}};
  auto const id = sk::Session::create(open()).value().id();
  for (auto const& [name, json] : values) {
    sk::StateChange change;
    change.set.emplace_back(name, sk::RawJson::parse(json).value());
    sk::update_state(open(), id, change).value();
  }
  auto const check = [&](sk::SessionInfo const& info) {
    REQUIRE(info.state.size() == values.size());
    for (auto const& [name, json] : values) CHECK(info.state.at(name).str() == json);
    CHECK(info.state.at("offset").as_integer() == 12);
    CHECK_FALSE(info.state.at("ratio").as_integer());
    CHECK(info.state.at("none").is_null());
  };
  check(open()->info(id).value());
  sk::ListQuery query;
  query.limit = 1;
  check(open()->list(query).value().sessions.at(0));

  sk::StateChange removal;
  removal.removed = {"offset", "none"};
  sk::update_state(open(), id, removal).value();
  auto const left = open()->info(id).value().state;
  CHECK(left.size() == values.size() - 2);
  CHECK(left.count("none") == 0);
}

void forgets_whole_sessions(OpenStore const& open) {
  auto const start = sk::parse_rfc3339("2026-01-01T00:00:00Z").value();
  sk::Timestamp now = start;
  sk::SessionOptions options;
  options.clock = [&now] { return now; };
  auto const begin = [&](char const* key) {
    sk::NewSession about;
    about.key = key;
    auto session = sk::Session::create(open(), about, options).value();
    auto const said = session.append(sk::user("hello")).value();
    session.set_label(said, "mark").value();
    session.set_state("a", sk::RawJson::integer(1)).value();
    session.end_turn().value();
    return session.id();
  };
  auto const idle = begin("idle"), busy = begin("busy");
  now += std::chrono::hours(5);
  auto const fresh = begin("fresh");
  sk::Session::open(open(), busy, options).value().append(sk::assistant("hi")).value();

  auto const expire = [&](std::chrono::hours idle_for, std::chrono::hours age) {
    sk::RetentionPolicy policy;
    policy.idle = idle_for;
    policy.age = age;
    auto const store = open();
    return sk::apply_retention(*store, sk::plan_retention(*store, policy, now).value()).removed;
  };
  auto const is_gone = [&](sk::SessionId const& id, char const* key) {
    auto const store = open();
    CHECK_FALSE(sk::exists(*store, id).value());
    CHECK(store->info(id).error().code == sk::Errc::not_found);
    sk::ListQuery of_key;
    of_key.key = key;
    CHECK(store->list(of_key).value().sessions.empty());
    CHECK(sk::update_state(store, id, {}).error().code == sk::Errc::not_found);
  };
  CHECK(expire(std::chrono::hours(5), std::chrono::hours(6)).empty()); // not longer than that
  CHECK(expire(std::chrono::hours(4), std::chrono::hours(0)) == std::vector<sk::SessionId>{idle});
  is_gone(idle, "idle");
  now += std::chrono::hours(2); // none is idle, but one is old
  CHECK(expire(std::chrono::hours(4), std::chrono::hours(6)) == std::vector<sk::SessionId>{busy});
  is_gone(busy, "busy");
  auto const left = open()->info(fresh).value();
  CHECK(left.state.at("a").as_integer() == 1);
  CHECK(left.labels.size() == 1);
  // Created again under its name, it has none of its old content.
  sk::NewSession again;
  again.id = idle;
  sk::Session::create(open(), again, options).value();
  CHECK(open()->info(idle).value().state.empty());
  CHECK(lines_of(*open(), idle).size() == 1);
}

std::vector<std::string> files_below(std::string const& folder, std::string const& except) {
  std::vector<std::string> files;
  for (auto it = fs::recursive_directory_iterator(folder); it != fs::recursive_directory_iterator(); ++it) {
    if (it->path() == except) it.disable_recursion_pending();
    auto const size = it->is_regular_file() ? std::to_string(it->file_size()) : "folder";
    files.push_back(it->path().string() + " " + size);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}
