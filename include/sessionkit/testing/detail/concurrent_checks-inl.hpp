// SPDX-License-Identifier: MIT
// Checks that threads, stores and processes may write to one session at a time or all at once.
#pragma once
#include <sessionkit/testing/detail/child_process.hpp>
#include <sessionkit/testing/detail/concurrent_checks.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

namespace concurrent_checks_inl { namespace {

constexpr std::size_t writers = 4;

/// Threads; `join` reports the first complaint of any of them.
class Crew {
 public:
  template <class Work> void add(Work work) {
    threads_.emplace_back([this, work] {
      try {
        work();
      } catch (Refuted const& refuted) { complain(refuted.what); } catch (std::exception const& thrown) {
        complain(std::string("thrown: ") + thrown.what());
      }
    });
  }
  Crew() = default;
  Crew(Crew const&) = delete;
  Crew& operator=(Crew const&) = delete;
  ~Crew() { wait(); }
  void join() {
    wait();
    if (!complaint_.empty()) Trial::refute(complaint_);
  }

 private:
  void wait() {
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }
  void complain(std::string what) {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (complaint_.empty()) complaint_ = std::move(what);
  }
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::string complaint_;
};

/// Counts down when its thread has ended, in whatever way.
class OneOf {
 public:
  explicit OneOf(std::atomic<std::size_t>& busy) : busy_(busy) {}
  OneOf(OneOf const&) = delete;
  OneOf& operator=(OneOf const&) = delete;
  ~OneOf() { --busy_; }

 private:
  std::atomic<std::size_t>& busy_;
};

// The batches of each writer, made before the threads start because a `Trial` belongs to one thread.
std::vector<std::vector<Records>> speeches(Trial& t, std::size_t speakers) {
  std::vector<std::vector<Records>> all(speakers);
  for (std::size_t w = 0; w < speakers; ++w)
    for (std::size_t i = 0; i < t.options.rounds; ++i) {
      Records batch{t.message("w" + std::to_string(w) + " n" + std::to_string(i))};
      if (i % 3 == 0) batch.push_back(t.message("w" + std::to_string(w) + " second"));
      all[w].push_back(std::move(batch));
    }
  return all;
}

// Checks that every batch of every writer is there once, unbroken, and in its writer's order.
void all_stand_once(Trial& t, SessionStore& store, SessionId const& id, Records const& first,
                    std::vector<std::vector<Records>> const& all) {
  std::map<std::string, std::size_t> place;
  WholeLog const log = read_log(store, id);
  for (std::size_t i = 0; i < log.records.size(); ++i)
    t.expect(place.emplace(log.records[i].line, i).second,
             "an entry is there twice: " + quoted(log.records[i].line));
  std::size_t expected = first.size();
  for (auto const& speech : all) {
    std::size_t behind = 0;
    for (Records const& batch : speech) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        auto const found = place.find(batch[i].line);
        t.expect(found != place.end(), "an acknowledged entry is lost: " + quoted(batch[i].line));
        t.expect(found->second > behind, "entries of one writer changed their order");
        t.expect(i == 0 || found->second == behind + 1, "entries of others are within a batch");
        behind = found->second;
        ++expected;
      }
    }
  }
  t.expect(log.records.size() == expected, "the log has entries that nobody wrote");
  std::string const wrong = difference(folded(store, id), t.must(store.info(id), "info"));
  t.expect(wrong.empty(), "info after all is not the fold of the log: " + wrong);
}

// While a batch is written, or after its writer was killed, half of it may be there if batches are no
// transactions. Then it is not an entry yet, and is reported as such.
WholeLog read_unfinished(Trial const& t, SessionStore& store, SessionId const& id) {
  return t.claims(Claim::transactional_batches) ? read_log(store, id) : read_pages(store, id);
}

void one_session(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records const first = t.session(id, 1);
  t.must(store->append(id, batch_of(first)), "append");
  auto const all = speeches(t, writers);
  std::set<std::string> halves; // lines that are not the last of their batch
  for (auto const& speech : all)
    for (Records const& batch : speech)
      for (std::size_t i = 0; i + 1 < batch.size(); ++i) halves.insert(batch[i].line);
  std::atomic<std::size_t> busy{writers};
  {
    Crew crew;
    for (auto const& speech : all)
      crew.add([&, store] {
        OneOf const mark(busy);
        for (Records const& batch : speech) append_somehow(*store, id, batch);
      });
    crew.add([&, store] { // stored entries stay
      Records seen;
      while (busy > 0) {
        WholeLog log = read_unfinished(t, *store, id);
        t.expect(log.records.size() >= seen.size(), "a reader sees fewer entries than before");
        log.records.resize(seen.size());
        std::string const wrong = difference(seen, log);
        t.expect(wrong.empty(), "a reader sees entries change: " + wrong);
        seen = read_unfinished(t, *store, id).records;
        t.expect(!t.claims(Claim::transactional_batches) || halves.count(seen.back().line) == 0,
                 "a reader sees a batch of which a part is missing");
        (void)t.must(store->info(id), "info");
        (void)list_checked(*store, {});
      }
    });
    crew.join();
  }
  all_stand_once(t, *store, id, first, all);
}

void many_sessions(Trial& t) {
  auto store = t.empty();
  auto const all = speeches(t, writers);
  std::vector<Records> firsts;
  for (std::size_t w = 0; w < writers; ++w) firsts.push_back(t.session(sid("s" + std::to_string(w)), 1));
  {
    Crew crew;
    for (std::size_t w = 0; w < writers; ++w)
      crew.add([&, w, store] {
        SessionId const id = sid("s" + std::to_string(w));
        Position end = t.must(store->append(id, batch_of(firsts[w])), "append");
        for (Records const& batch : all[w])
          end = t.must(store->append(id, batch_of(batch, end)), "append where nobody else writes");
      });
    crew.join();
  }
  for (std::size_t w = 0; w < writers; ++w)
    all_stand_once(t, *store, sid("s" + std::to_string(w)), firsts[w], {all[w]});
  t.expect(list_checked(*store, {}).size() == writers, "not all sessions are listed");
}

void race_to_start(Trial& t) {
  auto store = t.empty();
  for (std::size_t round = 0; round < t.options.rounds; ++round) {
    SessionId const id = sid("s" + std::to_string(round));
    std::vector<Records> starts;
    for (std::size_t w = 0; w < writers; ++w) starts.push_back(t.session(id, 1 + w));
    std::atomic<std::size_t> winners{0}, winner{0};
    Crew crew;
    for (std::size_t w = 0; w < writers; ++w)
      crew.add([&, w, store] {
        Result<Position> const end = store->append(id, batch_of(starts[w]));
        if (end) return (void)(++winners, winner = w);
        t.expect(end.error().code == Errc::already_exists, "losing the race: " + t.said(end.error()));
      });
    crew.join();
    t.expect(winners == 1, std::to_string(winners) + " of several starts of one session succeeded");
    expect_log(*store, id, starts[winner], "after a race to start");
  }
}

void race_with_removal(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  for (std::size_t round = 0; round < t.options.rounds; ++round) {
    Records const first = t.session(id, 1), more{t.message("more")};
    Position const end = t.must(store->append(id, batch_of(first)), "append");
    Result<Position> appended = Position{};
    Crew crew;
    crew.add([&] { appended = store->append(id, batch_of(more, end)); });
    crew.add([&] { t.must(store->remove(id), "remove"); });
    crew.join();
    t.expect(appended || appended.error().code == Errc::not_found,
             "an append beside a remove failed otherwise");
    t.refused(store->read(id, {}), Errc::not_found, "a removed session to which somebody appended");
  }
}

void two_stores(Trial& t) {
  auto first = t.empty();
  SessionId const id = sid("s1");
  Records all = t.session(id, 1);
  Position end = t.must(first->append(id, batch_of(all)), "append");
  auto second = t.again();
  for (int i = 0; i < 6; ++i) {
    auto& writer = i % 2 == 0 ? second : first;
    auto& reader = i % 2 == 0 ? first : second;
    all.push_back(t.message("by turns"));
    Position const before = end;
    end = t.must(writer->append(id, batch_of({all.back()}, end)), "append");
    expect_log(*reader, id, all, "what the other store appended");
    t.expect(t.must(reader->info(id), "info").end == end, "info of the other store is behind");
    t.refused(reader->append(id, batch_of({t.message("stale")}, before)), Errc::conflict, "a stale append");
    t.expect(t.must(reader->append(id, batch_of({all.back()}, before)), "repeating what the other appended")
                 == end,
             "it answers another end");
  }
  list_checked(*first, {});
  list_checked(*second, {});
  t.must(second->append(sid("s2"), batch_of(t.session(sid("s2"), 1))), "append");
  t.expect(ids_of(list_checked(*first, {})) == std::vector<std::string>{"s2", "s1"},
           "the other's session is not listed");
  t.must(first->remove(id), "remove");
  t.refused(second->read(id, {}), Errc::not_found, "read of what the other removed");
  t.refused(second->append(id, batch_of({t.message("x")}, end)), Errc::not_found,
            "append to what the other removed");
  t.expect(ids_of(list_checked(*second, {})) == std::vector<std::string>{"s2"},
           "what the other removed is listed");
}

void two_stores_and_threads(Trial& t) {
  auto first = t.empty();
  SessionId const id = sid("s1");
  Records const start = t.session(id, 1);
  t.must(first->append(id, batch_of(start)), "append");
  auto second = t.again();
  auto const all = speeches(t, writers);
  Crew crew;
  for (std::size_t w = 0; w < writers; ++w)
    crew.add([&, w] {
      for (Records const& batch : all[w]) append_somehow(w % 2 == 0 ? *first : *second, id, batch);
    });
  crew.join();
  all_stand_once(t, *first, id, start, all);
  all_stand_once(t, *second, id, start, all);
}

void processes(Trial& t) {
  SessionId const id = sid("s1");
  Records const start = t.session(id, 1);
  {
    auto store = t.empty();
    t.must(store->append(id, batch_of(start)), "append");
  }
  auto const all = speeches(t, writers); // two processes, two threads each
  {
    auto const write = [&](std::size_t process) {
      return [&, process](int) {
        auto store = t.again();
        Crew crew;
        for (std::size_t w = process; w < writers; w += 2)
          crew.add([&, w] {
            for (Records const& batch : all[w]) append_somehow(*store, id, batch);
          });
        crew.join();
      };
    };
    ChildProcess a(write(0)), b(write(1));
    for (ChildProcess* child : {&a, &b}) {
      std::string const complaint = child->hear(4096);
      t.expect(complaint.empty(), "in another process: " + complaint);
      child->wait();
    }
  }
  auto store = t.again();
  all_stand_once(t, *store, id, start, all);
}

// At the forks other threads are in calls, and hold whatever locks these take.
void forked_child(Trial& t) {
  constexpr int children = 10, seconds = 10;
  SessionId const id = sid("s1"), other = sid("s2");
  auto store = t.empty();
  t.must(store->append(id, batch_of(t.session(id, 1))), "append");
  Records const start = t.session(other, 1), more{t.message("of the child")};
  auto const all = speeches(t, 1);
  std::atomic<bool> done{false};
  Crew crew;
  crew.add([&] {
    for (std::size_t i = 0; !done; i = (i + 1) % all[0].size()) append_somehow(*store, id, all[0][i]);
  });
  crew.add([&] {
    while (!done) {
      t.must(store->list({}), "list");
      t.must(store->info(id), "info");
    }
  });
  std::string wrong;
  for (int i = 0; i < children && wrong.empty(); ++i) {
    ChildProcess child([&](int pipe) {
      ChildProcess::end_after(std::chrono::seconds(seconds));
      auto const answer = [&](char const* call, auto const& got) {
        if (got || got.error().code != Errc::forked) ChildProcess::say(pipe, std::string(call) + " ");
      };
      answer("append", store->append(other, batch_of(start)));
      answer("append", store->append(id, batch_of(more, Position{1})));
      answer("read", store->read(id, {}));
      answer("info", store->info(id));
      answer("list", store->list({}));
      answer("remove", store->remove(id));
      ChildProcess::say(pipe, "end");
    });
    std::string const said = child.hear(4096);
    wrong = said == "end" ? std::string() : said.empty() ? "no call returned" : said;
    child.wait();
  }
  done = true;
  crew.join();
  t.expect(wrong.empty(), "in a forked child, calls answered other than forked, or did not return: " + wrong);
}

// A process is killed in the middle of its appends: every acknowledged batch is there, and at most one more.
void killed(Trial& t) {
  SessionId const id = sid("s1");
  Records all = t.session(id, 1);
  {
    auto store = t.empty();
    t.must(store->append(id, batch_of(all)), "append");
  }
  for (std::size_t round = 0; round < 5; ++round) {
    std::vector<Records> batches;
    batches.reserve(400);
    for (int i = 0; i < 400; ++i)
      batches.push_back({t.message("kill " + std::to_string(i)), t.message("second")});
    std::size_t acknowledged = 0;
    {
      ChildProcess child([&](int pipe) {
        auto store = t.again();
        for (Records const& batch : batches) {
          append_somehow(*store, id, batch);
          ChildProcess::say(pipe, ".");
        }
      });
      std::size_t const few = 1 + t.below(40);
      std::string heard = child.hear(few);
      child.kill();
      heard += child.hear(batches.size());
      t.expect(heard.find('!') == std::string::npos, "in another process: " + heard);
      acknowledged = heard.size();
    }
    auto store = t.again();
    for (std::size_t i = 0; i < acknowledged; ++i)
      all.insert(all.end(), batches[i].begin(), batches[i].end());
    WholeLog const log = read_unfinished(t, *store, id);
    t.expect(log.records.size() >= all.size(),
             "of " + std::to_string(acknowledged)
                 + " acknowledged appends of a killed process, some are lost");
    t.expect(log.damage.size() <= round + 1, "there is more damage than there were kills");
    if (log.records.size() > all.size() && acknowledged < batches.size())
      for (std::size_t i = 0; i < 2 && all.size() < log.records.size(); ++i)
        all.push_back(batches[acknowledged][i]);
    std::string wrong = difference(all, log);
    t.expect(wrong.empty(), "after a kill: " + wrong);
    if (acknowledged < batches.size()) { // a writer that does not know the outcome repeats
      all.push_back(t.message("after the kill"));
      (void)append_somehow(*store, id, {all.back()});
    }
    wrong = difference(all, read_unfinished(t, *store, id));
    t.expect(wrong.empty(), "after a kill and one more append: " + wrong);
    wrong = difference(folded(*store, id), t.must(store->info(id), "info"));
    t.expect(wrong.empty(), "info after a kill is not the fold of the log: " + wrong);
  }
}

}}

void add_concurrent_checks(std::vector<Check>& all) {
  auto const add = [&](std::string_view name, std::string_view sentence, void (*run)(Trial&),
                       Claim needs = Claim::none) {
    all.push_back({{name, Tier::concurrent, sentence, needs}, run});
  };
  add("threads_on_one_session",
      "threads append to one session: each entry is there once, batches unbroken, readers see a prefix",
      concurrent_checks_inl::one_session);
  add("threads_on_many_sessions", "threads that write sessions of their own never find a conflict",
      concurrent_checks_inl::many_sessions);
  add("threads_start_one_session", "of several starts of one session exactly one succeeds",
      concurrent_checks_inl::race_to_start);
  add("threads_remove", "no append is acknowledged that a remove leaves behind",
      concurrent_checks_inl::race_with_removal);
  add("two_stores", "two stores of the same data see what the other does at once",
      concurrent_checks_inl::two_stores, Claim::shared);
  add("two_stores_and_threads", "and append to one session together",
      concurrent_checks_inl::two_stores_and_threads, Claim::shared);
  add("processes", "two processes append to one session together", concurrent_checks_inl::processes,
      Claim::shared_between_processes);
  add("forked_child",
      "in a forked child every call answers forked, and none waits for a thread of the parent",
      concurrent_checks_inl::forked_child, Claim::refuses_children);
  add("killed", "entries acknowledged to a killed process are there, once", concurrent_checks_inl::killed,
      Claim::shared_between_processes | Claim::persistent);
}

}}}
