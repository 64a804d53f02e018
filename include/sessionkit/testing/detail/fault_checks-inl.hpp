// SPDX-License-Identifier: MIT
// Makes calls below the store fail, one after the other, and checks what it reports.
#pragma once
#include <sessionkit/testing/detail/fault_checks.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

namespace fault_checks_inl { namespace {

constexpr std::int64_t most_calls = 5000; // one append that makes more is no append

// True for an error that may be answered when a call below the store failed: the session must never seem
// changed.
bool is_a_failure(Errc code) {
  switch (code) {
  case Errc::timed_out:
  case Errc::corrupt:
  case Errc::no_space:
  case Errc::io_error:
  case Errc::unavailable:
  case Errc::not_written:
  case Errc::outcome_unknown:
  case Errc::poisoned: return true;
  default: return false;
  }
}
bool may_stand(Errc code) { return code == Errc::outcome_unknown || code == Errc::poisoned; }

// Runs `attempt` on a fresh store with each call failing in turn, until no call failed.
template <class Attempt> void with_each_fault(Trial& t, Attempt attempt) {
  t.expect(static_cast<bool>(t.subject.fail_call), "faults are claimed without `fail_call`");
  for (bool const sticky : {false, true}) {
    std::int64_t n = 0;
    bool fired = true;
    while (fired) {
      t.expect(n < most_calls, "there is no end to the calls below one operation");
      auto const arm = [&] { t.subject.fail_call(n, sticky); };
      auto const disarm = [&] { fired = t.subject.fail_call(-1, false); };
      attempt(arm, disarm, "call " + std::to_string(n) + (sticky ? " and all after it" : "") + " failed: ");
      ++n;
    }
    t.expect(n > 1, "no call can be made to fail");
  }
}

void append_faults(Trial& t, bool starts, bool durable) {
  SessionId const id = sid("s1");
  with_each_fault(t, [&](auto arm, auto disarm, std::string const& where) {
    auto store = t.empty();
    Records base, batch{t.message("a"), t.message("b"), t.message("c")};
    Position end;
    if (starts)
      batch.insert(batch.begin(), t.header(id));
    else
      base = t.session(id, 1), end = t.must(store->append(id, batch_of(base)), where + "before the fault");
    Append append = batch_of(batch, end);
    append.durable = durable;
    arm();
    Result<Position> const got = store->append(id, append);
    disarm();
    if (!got) t.expect(is_a_failure(got.error().code), where + "append answered " + t.said(got.error()));
    if (t.claims(Claim::persistent)) {
      store.reset();
      store = t.again();
    }
    Records all = base;
    all.insert(all.end(), batch.begin(), batch.end());
    Result<RecordPage> const page = store->read(id, {});
    std::size_t there = 0;
    if (page) {
      WholeLog const log = read_log(*store, id);
      there = log.records.size();
      t.expect(there >= base.size() && there <= all.size(),
               where + std::to_string(there) + " records are there");
      std::string const wrong =
          difference(Records(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(there)), log);
      t.expect(wrong.empty(), where + "what is there is no part of the batch: " + wrong);
    } else {
      t.expect(starts && page.error().code == Errc::not_found,
               where + "reading after it: " + t.said(page.error()));
    }
    if (got) t.expect(there == all.size(), where + "the append was acknowledged, yet something is missing");
    if (!got && !may_stand(got.error().code))
      t.expect(there == base.size(),
               where + "the append answered " + t.said(got.error()) + ", yet entries are there");
    if (t.claims(Claim::transactional_batches))
      t.expect(there == base.size() || there == all.size(), where + "a part of the batch is there");
    t.must(store->append(id, append), where + "repeating the append");
    expect_log(*store, id, all, where + "after repeating");
    std::string const wrong = difference(folded(*store, id), t.must(store->info(id), "info"));
    t.expect(wrong.empty(), where + "info is not the fold of the log: " + wrong);
  });
}

void reading_faults(Trial& t) {
  SessionId const id = sid("s1");
  auto store = t.empty();
  Header about;
  about.key = "main:cli:user";
  ListQuery by_key;
  by_key.key = about.key;
  Records const all = t.session(id, 3, about);
  t.must(store->append(id, batch_of(all)), "append");
  t.must(store->append(sid("s2"), batch_of(t.session(sid("s2"), 1, about))), "append");
  with_each_fault(t, [&](auto arm, auto disarm, std::string const& where) {
    bool const reopens = t.claims(Claim::persistent);
    if (reopens) store.reset(), store = t.again();
    arm();
    Result<RecordPage> const page = store->read(id, {});
    Result<SessionInfo> const info = store->info(id);
    Result<SessionPage> const list = store->list(by_key);
    disarm();
    if (page)
      t.expect(page->items().size() == all.size(), where + "read gave a part and no error");
    else
      t.expect(is_a_failure(page.error().code), where + "read answered " + t.said(page.error()));
    if (info)
      t.expect(info->entries == 3, where + "info is wrong and no error");
    else
      t.expect(is_a_failure(info.error().code), where + "info answered " + t.said(info.error()));
    if (list)
      t.expect(ids_of(list->sessions) == std::vector<std::string>{"s2", "s1"},
               where + "list gave " + joined(ids_of(list->sessions)) + " and no error");
    else
      t.expect(is_a_failure(list.error().code), where + "list answered " + t.said(list.error()));
    expect_log(*store, id, all, where + "afterwards");
    t.expect(list_checked(*store, {}).size() == 2, where + "afterwards the list is another");
  });
}

void removal_faults(Trial& t) {
  SessionId const id = sid("s1");
  with_each_fault(t, [&](auto arm, auto disarm, std::string const& where) {
    auto store = t.empty();
    Records const all = t.session(id, 2);
    t.must(store->append(id, batch_of(all)), where + "before the fault");
    arm();
    Result<void> const removed = store->remove(id);
    disarm();
    if (!removed)
      t.expect(is_a_failure(removed.error().code), where + "remove answered " + t.said(removed.error()));
    if (t.claims(Claim::persistent)) store.reset(), store = t.again();
    Result<RecordPage> const page = store->read(id, {});
    if (page) {
      t.expect(!removed, where + "a session is there whose removal was acknowledged");
      expect_log(*store, id, all, where + "a session whose removal failed");
      t.must(store->remove(id), where + "removing it again");
    } else {
      t.expect(page.error().code == Errc::not_found, where + "reading after it: " + t.said(page.error()));
    }
    t.expect(list_checked(*store, {}).empty(), where + "it is listed");
  });
}

void durable_syncs(Trial& t) {
  t.expect(static_cast<bool>(t.subject.syncs), "`durable` is claimed without `syncs`");
  auto store = t.empty();
  SessionId const id = sid("s1");
  Append append = batch_of({});
  Records const start = t.session(id, 1), second{t.message("second")}, third{t.message("third")};
  std::uint64_t before = t.subject.syncs();
  auto const synced = [&](std::string const& what) {
    std::uint64_t const now = t.subject.syncs();
    t.expect(now > before, what + " was acknowledged without a sync");
    before = now;
  };
  append = batch_of(start);
  append.durable = true;
  append.expected = t.must(store->append(id, append), "a durable start");
  synced("a durable start");
  Position const end = append.expected;
  append = batch_of(second, end);
  append.durable = true;
  Position const next = t.must(store->append(id, append), "a durable append");
  synced("a durable append");
  Position const last = t.must(store->append(id, batch_of(third, next)), "an append that is not durable");
  before = t.subject.syncs();
  append = batch_of({}, last);
  append.durable = true;
  t.must(store->append(id, append), "a sync of what is there");
  synced("a sync of what is there");
  append = batch_of(third, next);
  t.must(store->append(id, batch_of({t.message("fourth")}, last)), "an append that is not durable");
  before = t.subject.syncs();
  append.durable = true;
  t.must(store->append(id, append), "repeating an append, durably now");
  synced("a durable repetition");
}

}}

void add_fault_checks(std::vector<Check>& all) {
  auto const add = [&](std::string_view name, std::string_view sentence, void (*run)(Trial&), Claim needs) {
    all.push_back({{name, Tier::fault, sentence, needs}, run});
  };
  add(
      "append_faults", "a failed append says so; what it says did not happen did not; repeating it is safe",
      [](Trial& t) { fault_checks_inl::append_faults(t, false, false); }, Claim::survives_faults);
  add(
      "durable_append_faults", "so a durable one",
      [](Trial& t) { fault_checks_inl::append_faults(t, false, true); }, Claim::survives_faults);
  add(
      "start_faults", "so the start of a session",
      [](Trial& t) { fault_checks_inl::append_faults(t, true, true); }, Claim::survives_faults);
  add("reading_faults",
      "what cannot be read is an error, never absent or shorter; so is the list of a key that may not be "
      "whole",
      fault_checks_inl::reading_faults, Claim::survives_faults);
  add("removal_faults", "a failed removal leaves all or nothing", fault_checks_inl::removal_faults,
      Claim::survives_faults);
  add(
      "all_or_nothing", "a failed append leaves its batch whole or not at all",
      [](Trial& t) { fault_checks_inl::append_faults(t, false, true); },
      Claim::survives_faults | Claim::transactional_batches);
  add("durable", "what a durable append acknowledges was synced", fault_checks_inl::durable_syncs,
      Claim::durable);
}

}}}
