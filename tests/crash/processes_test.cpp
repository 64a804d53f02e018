// SPDX-License-Identifier: MIT
#include "soak.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "writers.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <atomic>
#include <set>
#include <thread>

using namespace sessionkit_test;

namespace {

std::shared_ptr<sk::SessionStore> open_store(std::string const& root, sk::Durability level) {
  sk::FileStoreOptions options;
  options.durability = level;
  options.lock_wait = std::chrono::seconds{30};
  return sk::open_file_store(root, options).value();
}

// Appends forever: to a shared session, to its own, and now and then to the index.
int write_until_killed(std::string const& root, int who, int round, int to_parent) {
  auto store = open_store(root, who == 0 ? sk::Durability::turn : sk::Durability::os);
  std::string const shared = "shared" + std::to_string(round / 100), own = "own" + std::to_string(who);
  SharedWriter together(*store, shared), alone(*store, own);
  Random random(static_cast<std::uint64_t>(round * 4 + who));
  for (int i = 0;; ++i) {
    std::string const id = std::to_string(round) + "-" + std::to_string(who) + "-" + std::to_string(i);
    std::string const text(random.one_in(50) ? 20'000 : random.below(400), 'x');
    bool const ends_turn = i % 8 == 7;
    SharedWriter& writer = i % 4 == 3 ? alone : together;
    if (!writer.append(id, text, ends_turn)) return 1;
    say(to_parent, (&writer == &alone ? own : shared) + " " + id);
    if (i % 16 == 5) (void)store->list({});
  }
}

}

TEST_CASE("T6: writers are killed again and again, and nothing acknowledged is lost or doubled") {
  TempDir dir;
  std::int64_t const rounds = soak_or(2'500, 200);
  Random random(6);
  std::map<std::string, std::vector<std::string>> acked;
  std::int64_t kills = 0, acks = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Child> writers;
    for (int who = 0; who < 4; ++who)
      writers.emplace_back(
          [&](int to_parent) { return write_until_killed(dir.path(), who, round, to_parent); });
    std::this_thread::sleep_for(std::chrono::microseconds(500 + random.below(12'000)));
    for (Child& writer : writers) writer.kill(), ++kills;
    for (Child& writer : writers) {
      for (std::string const& line : split_lines(writer.words())) {
        std::size_t const space = line.find(' ');
        acked[line.substr(0, space)].push_back(line.substr(space + 1));
        ++acks;
      }
      REQUIRE(WIFSIGNALED(writer.wait()));
    }
  }
  auto store = open_store(dir.path(), sk::Durability::turn);
  std::size_t lost = 0, doubled = 0, unheard = 0, damage = 0;
  for (auto const& [name, ids] : acked) {
    Found const found = find_all(*store, name);
    auto const count = found.count();
    for (std::string const& id : ids) lost += count.count(id) == 0 ? 1U : 0U;
    for (auto const& [id, times] : count) doubled += times > 1 ? 1U : 0U;
    unheard += count.size() - std::min(count.size(), ids.size());
    damage += found.damage;
    CHECK(SharedWriter(*store, name).append("after", "all is well", true).ok());
  }
  tell("T6", kills, " kills, ", acks, " acknowledged, lost ", lost, ", doubled ", doubled, ", ", unheard,
       " written and not heard of, ", damage, " torn lines");
  CHECK(lost == 0);
  CHECK(doubled == 0);
  CHECK(acks > kills);
  CHECK(unheard <= static_cast<std::size_t>(kills));
  CHECK(damage <= static_cast<std::size_t>(kills));
  CHECK(store->list({}).value().sessions.size() == acked.size());
}

namespace {

std::size_t line_size(Random& random) {
  return random.one_in(100) ? 4096 + random.below((256 << 10) - 4096) : random.below(4096 - 200);
}

// Eight threads; each puts half of its lines into a shared session and half into one of its process.
int write_in_threads(std::string const& root, int who, int lines_each) {
  auto store = open_store(root, sk::Durability::os);
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      SharedWriter all(*store, "all"), own(*store, "own" + std::to_string(who));
      Random random(static_cast<std::uint64_t>(who * 8 + t));
      for (int i = 0; i < lines_each; ++i) {
        std::string const id = std::to_string(who) + "." + std::to_string(t) + "." + std::to_string(i);
        if (!(i % 2 == 0 ? all : own).append(id, std::string(line_size(random), 'x'))) ++failed;
      }
    });
  for (auto& thread : threads) thread.join();
  return failed == 0 ? 0 : 1;
}

// Reads while the session grows, until the writers are done. Returns 0 for no damage, nothing twice, each
// writer's lines in its order.
int tail(std::string const& root, std::string const& stop, std::size_t lines) {
  auto store = open_store(root, sk::Durability::os);
  std::set<std::string> seen;
  std::map<std::string, int> last;
  sk::ReadRange range;
  range.from = sk::Position{};
  for (bool stopped = false;;) {
    stopped = ::access(stop.c_str(), F_OK) == 0;
    auto const page = store->read(sk::SessionId::parse("all").value(), range);
    if (!page) {
      if (page.error().code != sk::Errc::not_found) return 2;
      if (stopped) return 3;
      continue;
    }
    for (auto const& item : page->items()) {
      if (item.type != "message") continue;
      std::string const id(item.id);
      if (!seen.insert(id).second) return 4;
      std::size_t const dot = id.rfind('.');
      int const number = std::stoi(id.substr(dot + 1));
      auto const known = last.try_emplace(id.substr(0, dot), -1).first;
      if (number <= known->second) return 5;
      known->second = number;
    }
    for (auto const& damage : page->damage)
      if (damage.kind != sk::DamageKind::torn_tail) return 6; // which means that it is not complete yet
    range.from = page->next;
    if (stopped && !page->more) break;
  }
  return seen.size() == lines ? 0 : 7;
}

}

TEST_CASE("T8, T9: eight processes of eight threads append at once while four read along") {
  TempDir dir;
  int const each = static_cast<int>(soak_or(2'000, 200));
  std::string const stop = dir / "stop";
  std::vector<Child> writers, tailers;
  std::size_t const in_all = static_cast<std::size_t>(8 * 8 * ((each + 1) / 2));
  for (int i = 0; i < 4; ++i) tailers.emplace_back([&](int) { return tail(dir / "s", stop, in_all); });
  for (int who = 0; who < 8; ++who)
    writers.emplace_back([&](int) { return write_in_threads(dir / "s", who, each); });
  for (Child& writer : writers) CHECK(writer.wait() == 0);
  write_file(stop, "");
  for (Child& tailer : tailers) {
    int const status = tailer.wait();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  auto store = open_store(dir / "s", sk::Durability::os);
  std::set<std::string> distinct;
  std::size_t lines = 0, damage = 0;
  std::vector<std::string> sessions{"all"};
  for (int who = 0; who < 8; ++who) sessions.push_back("own" + std::to_string(who));
  for (std::string const& name : sessions) {
    Found const found = find_all(*store, name);
    std::map<std::string, int> last;
    for (std::string const& id : found.ids) {
      distinct.insert(id);
      int const number = std::stoi(id.substr(id.rfind('.') + 1));
      auto const known = last.try_emplace(id.substr(0, id.rfind('.')), -1).first;
      CHECK(number > known->second);
      known->second = number;
    }
    lines += found.ids.size();
    damage += found.damage;
  }
  tell("T8", lines, " lines of 64 threads in 8 processes, distinct ", distinct.size(), ", damage ", damage);
  CHECK(lines == static_cast<std::size_t>(64 * each));
  CHECK(distinct.size() == lines);
  CHECK(damage == 0);
}

namespace {

// The entry of a compaction; empty if none was needed.
sk::Result<sk::EntryId> compact(sk::Session& session, std::string const& id) {
  sk::CompactionPolicy policy;
  policy.keep = sk::keep_turns(2);
  policy.max_failures = 1000000; // short texts: a summary may be longer than what it replaces,
  policy.min_saved_percent = 0;  // or hardly shorter
  auto summarizer =
      sk::make_summarizer([&](sk::SummaryRequest const&) -> sk::Result<std::string> { return id; });
  auto const outcome = session.compact(summarizer, policy, sk::CompactionReason::manual);
  if (!outcome) return outcome.error();
  if (*outcome != sk::CompactionOutcome::applied) return sk::EntryId();
  return session.context().value().compaction->id;
}

// One of several hosts of a conversation: appends, and compacts if that is its role.
int converse(std::string const& root, int who, int round, bool compacts, int to_parent) {
  auto store = open_store(root, sk::Durability::os);
  auto session = sk::Session::open(store, sk::SessionId::parse("talk").value());
  if (!session) return 2;
  for (int i = 0; i < 5; ++i) {
    std::string const id =
        std::to_string(round) + "-" + std::to_string(who) + "-" + std::to_string(i) + (compacts ? "c" : "m");
    sk::AppendOptions options;
    options.id = sk::EntryId(id);
    sk::Result<sk::EntryId> done = sk::Error{sk::Errc::conflict};
    for (int tries = 0; !done && tries < 20; ++tries) {
      if (compacts) {
        done = compact(*session, id);
        if (done && done->empty()) break; // the other compaction is stored, or there is nothing to summarise
      } else {
        done = session->append(sk::user(id), options);
      }
    }
    if (!done) return 3;
    if (!done->empty()) say(to_parent, done->str());
  }
  return 0;
}

}

TEST_CASE("T10: two processes that compact and two that append share a session, and one of them is killed") {
  TempDir dir;
  std::int64_t const rounds = soak_or(1'000, 60);
  {
    auto store = open_store(dir.path(), sk::Durability::os);
    sk::NewSession about;
    about.id = sk::SessionId::parse("talk").value();
    (void)sk::Session::create(store, about).value();
  }
  Random random(10);
  std::vector<std::string> acked;
  int finished = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Child> hosts;
    for (int who = 0; who < 4; ++who)
      hosts.emplace_back([&](int to_parent) { return converse(dir.path(), who, round, who < 2, to_parent); });
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(8'000)));
    hosts[random.below(4)].kill();
    for (Child& host : hosts) {
      for (std::string& id : split_lines(host.words())) acked.push_back(std::move(id));
      int const status = host.wait();
      bool const ended = WIFSIGNALED(status) || WEXITSTATUS(status) == 0;
      CHECK(ended);
      finished += WIFEXITED(status) ? 1 : 0;
    }
  }
  auto store = open_store(dir.path(), sk::Durability::os);
  sk::SessionId const id = sk::SessionId::parse("talk").value();
  std::map<std::string, int> count;
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const page = store->read(id, range).value();
    for (auto const& item : page.items()) ++count[std::string(item.id)];
    more = page.more;
    range.from = page.next;
  }
  std::size_t lost = 0, doubled = 0;
  for (std::string const& one : acked) lost += count.count(one) == 0 ? 1U : 0U;
  for (auto const& [one, times] : count) doubled += times > 1 ? 1U : 0U;
  tell("T10", rounds, " rounds, ", acked.size(), " acknowledged, lost ", lost, ", doubled ", doubled);
  CHECK(lost == 0);
  CHECK(doubled == 0);
  CHECK(finished >= 3 * rounds);
  auto session = sk::Session::open(store, id).value();
  CHECK(session.context().value().compaction);
  CHECK(session.append(sk::user("after")).ok());
}

namespace {

// Reads until stopped, and then to the end; each entry comes once, and nothing is damaged.
int read_along(std::string const& root, std::string const& stop, int to_parent) {
  auto store = open_store(root, sk::Durability::os);
  std::set<std::string> seen;
  sk::ReadRange range;
  for (bool stopped = false, more = true; !stopped || more;) {
    stopped = ::access(stop.c_str(), F_OK) == 0;
    auto const page = store->read(sk::SessionId::parse("talk").value(), range);
    if (!page) return 2;
    for (auto const& item : page->items())
      if (!seen.insert(std::string(item.id)).second) return 3;
    for (auto const& damage : page->damage)
      if (damage.kind != sk::DamageKind::torn_tail) return 4; // which means that it is not complete yet
    range.from = page->next;
    more = page->more;
  }
  say(to_parent, std::to_string(seen.size()));
  return 0;
}

}

TEST_CASE("T9: readers see each entry once and no damage while one compacts and two append") {
  TempDir dir;
  std::string const stop = dir / "stop", root = dir / "s";
  sk::SessionId const id = sk::SessionId::parse("talk").value();
  {
    auto store = open_store(root, sk::Durability::os);
    sk::NewSession about;
    about.id = id;
    (void)sk::Session::create(store, about).value();
  }
  std::vector<Child> readers;
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&](int to_parent) { return read_along(root, stop, to_parent); });
  std::int64_t const rounds = soak_or(2'000, 40);
  std::size_t acked = 0, compactions = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Child> hosts;
    for (int who = 0; who < 3; ++who)
      hosts.emplace_back([&](int to_parent) { return converse(root, who, round, who == 0, to_parent); });
    for (std::size_t who = 0; who < hosts.size(); ++who) {
      std::size_t const said = split_lines(hosts[who].words()).size();
      acked += said;
      compactions += who == 0 ? said : 0;
      CHECK(hosts[who].wait() == 0);
    }
  }
  write_file(stop, "");
  for (Child& reader : readers) {
    std::string const count = reader.words();
    CHECK(reader.wait() == 0);
    CHECK(count == std::to_string(acked + 1) + "\n"); // and the header
  }
  tell("T9", rounds, " rounds, ", acked, " entries, ", compactions, " of them compactions, read along by 4");
  CHECK(compactions > 0);
}
