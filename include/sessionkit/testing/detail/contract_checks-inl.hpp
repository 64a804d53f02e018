// SPDX-License-Identifier: MIT
// Checks each sentence of the contract that a careful backend must keep.
#pragma once
#include <sessionkit/lease.hpp>
#include <sessionkit/testing/detail/contract_checks.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

namespace contract_checks_inl { namespace {

// A session of one header and `messages` messages, and its records.
struct Started {
  std::shared_ptr<SessionStore> store;
  SessionId id;
  Records records;
  Position end;
};
Started start(Trial& t, std::size_t messages, std::string const& id = "s1") {
  Started s{t.empty(), sid(id), t.session(sid(id), messages), {}};
  s.end = t.must(s.store->append(s.id, batch_of(s.records)), "append of a new session");
  return s;
}
Records plus(Records records, Records const& more) {
  records.insert(records.end(), more.begin(), more.end());
  return records;
}
// The same checksum, computed bit by bit from the polynomial's definition.
std::uint32_t slow_crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (char const c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
  }
  return ~crc;
}
bool can_say(Trial const& t, EntryBody const& body) { return t.dialect.can(body.index()); }

void stale_append(Trial& t) {
  Started s = start(t, 1);
  Records const others{t.message("somebody else's")};
  t.must(s.store->append(s.id, batch_of(others, s.end)), "append");
  Records const ours{t.message("ours"), t.message("ours too")};
  t.refused(s.store->append(s.id, batch_of(ours, s.end)), Errc::conflict,
            "an append before an existing entry");
  expect_log(*s.store, s.id, plus(s.records, others), "after a conflict");
}

void expected_beyond(Trial& t) {
  Started s = start(t, 1);
  for (std::uint64_t const more : {1ULL, 1000ULL, 1ULL << 40, (1ULL << 63) + 5, ~0ULL - s.end.value()})
    t.refused(s.store->append(s.id, batch_of({t.message("x")}, Position{s.end.value() + more})),
              Errc::conflict, "an append that expects a longer log");
  expect_log(*s.store, s.id, s.records, "after conflicts");
}

void expected_between(Trial& t) {
  Started s = start(t, 3);
  std::vector<Position> const ends = read_log(*s.store, s.id).ends;
  std::uint64_t before = 0;
  for (Position const end : ends) {
    std::uint64_t const middle = before + (end.value() - before) / 2;
    if (middle > before && middle < end.value())
      t.refused(s.store->append(s.id, batch_of({t.message("x")}, Position{middle})), Errc::conflict,
                "an append that expects the middle of an entry");
    before = end.value();
  }
  expect_log(*s.store, s.id, s.records, "after conflicts");
}

void expected_of_another(Trial& t) {
  Started s = start(t, 1);
  Records const other = t.session(sid("s2"), 4);
  t.must(s.store->append(sid("s2"), batch_of(other)), "append");
  std::vector<Position> const own = read_log(*s.store, s.id).ends;
  for (Position const end : read_log(*s.store, sid("s2")).ends)
    if (std::find(own.begin(), own.end(), end) == own.end())
      t.refused(s.store->append(s.id, batch_of({t.message("x")}, end)), Errc::conflict,
                "an append that expects an end of another session");
  expect_log(*s.store, s.id, s.records, "after conflicts");
  expect_log(*s.store, sid("s2"), other, "after conflicts of another session");
}

void same_id_other_bytes(Trial& t) {
  if (!t.dialect.has_ids) return;
  Started s = start(t, 1);
  Records const others{t.message("theirs", "taken")};
  t.must(s.store->append(s.id, batch_of(others, s.end)), "append");
  Records const ours{t.message("before", "free"), t.message("ours", "taken")};
  t.refused(s.store->append(s.id, batch_of({ours[1]}, s.end)), Errc::already_exists,
            "an id that exists with other bytes");
  t.refused(s.store->append(s.id, batch_of(ours, s.end)), Errc::already_exists, "a batch with such an id");
  expect_log(*s.store, s.id, plus(s.records, others), "after already_exists");
}

void ids_stand_again(Trial& t) {
  if (!t.dialect.has_ids) return;
  Started s = start(t, 1);
  Records const twice{t.message("once", "same"), t.message("twice", "same")};
  Position end = t.must(s.store->append(s.id, batch_of({twice[0]}, s.end)), "append");
  end = t.must(s.store->append(s.id, batch_of({twice[1]}, end)),
               "an append at the end whose id is earlier in the log");
  Records const together{t.message("one", "both"), t.message("other", "both")};
  end = t.must(s.store->append(s.id, batch_of(together, end)), "a batch with one id twice");
  expect_log(*s.store, s.id, plus(plus(s.records, twice), together), "ids that occur twice");
}

void repeat_whole(Trial& t) {
  Started s = start(t, 1);
  Records const batch{t.message("a"), t.message("b"), t.message("c")};
  Position const end = t.must(s.store->append(s.id, batch_of(batch, s.end)), "append");
  for (int i = 0; i < 3; ++i) {
    Position const again = t.must(s.store->append(s.id, batch_of(batch, s.end)), "repeating an append");
    t.expect(again == end, "a repeated append answers another end");
    expect_log(*s.store, s.id, plus(s.records, batch), "after repeating");
  }
}

void repeat_behind_others(Trial& t) {
  Started s = start(t, 1);
  Records const batch{t.message("a"), t.message("b")}, later{t.message("later"), t.message("too")};
  Position const end = t.must(s.store->append(s.id, batch_of(batch, s.end)), "append");
  t.must(s.store->append(s.id, batch_of(later, end)), "append");
  Position const again =
      t.must(s.store->append(s.id, batch_of(batch, s.end)), "repeating when others wrote behind");
  t.expect(again == end, "a repeated append answers another end than its own");
  expect_log(*s.store, s.id, plus(plus(s.records, batch), later), "after repeating");
  Records const one{later[0]};
  t.expect(t.must(s.store->append(s.id, batch_of(one, s.end)), "repeating a part that others wrote before")
               == read_log(*s.store, s.id).ends[s.records.size() + batch.size()],
           "a batch that is stored later in the log answers another end than its own");
}

void repeat_start(Trial& t) {
  Started s = start(t, 2);
  Position const again = t.must(s.store->append(s.id, batch_of(s.records)), "repeating the first append");
  t.expect(again == s.end, "a repeated first append answers another end");
  Records const later{t.message("later")};
  t.must(s.store->append(s.id, batch_of(later, s.end)), "append");
  t.expect(t.must(s.store->append(s.id, batch_of(s.records)), "repeating it when more follows") == s.end,
           "a repeated first append answers another end");
  expect_log(*s.store, s.id, plus(s.records, later), "after repeating");
}

void only_new(Trial& t) {
  auto const store = t.empty();
  Records const records = t.session(sid("s1"), 2);
  Append first = batch_of(records);
  first.only_new = true;
  Position const end = t.must(store->append(sid("s1"), first), "a start that must be new");
  t.refused(store->append(sid("s1"), first), Errc::already_exists, "the same start, which must be new");
  first.only_new = false;
  t.expect(t.must(store->append(sid("s1"), first), "the same start, which need not be new") == end,
           "a repeated first append answers another end");
}

void repeat_after_reopen(Trial& t) {
  Started s = start(t, 1);
  Records const batch{t.message("a"), t.message("b")};
  Position const end = t.must(s.store->append(s.id, batch_of(batch, s.end)), "append");
  s.store.reset();
  s.store = t.again();
  t.expect(t.must(s.store->append(s.id, batch_of(batch, s.end)), "repeating it after opening again") == end,
           "a repeated append answers another end");
  expect_log(*s.store, s.id, plus(s.records, batch), "after repeating");
}

void complete_part(Trial& t) {
  Started s = start(t, 1);
  Records const batch{t.message("a"), t.message("b"), t.message("c"), t.message("d")};
  t.must(s.store->append(s.id, batch_of({batch[0], batch[1]}, s.end)), "append of a part");
  Position const end = t.must(s.store->append(s.id, batch_of(batch, s.end)), "completing a batch");
  expect_log(*s.store, s.id, plus(s.records, batch), "after completing");
  t.expect(read_log(*s.store, s.id).log_end == end, "a completed append answers another end");
  t.expect(t.must(s.store->append(s.id, batch_of(batch, s.end)), "repeating it") == end,
           "and repeating it another");
}

void complete_start(Trial& t) {
  Started s = start(t, 0);
  Records const batch{s.records[0], t.message("a"), t.message("b")};
  t.must(s.store->append(s.id, batch_of(batch)), "completing the first append");
  expect_log(*s.store, s.id, batch, "after completing");
}

void part_before_others(Trial& t) {
  Started s = start(t, 1);
  Records const batch{t.message("a"), t.message("b")}, there{batch[0], t.message("somebody else's")};
  t.must(s.store->append(s.id, batch_of(there, s.end)), "append");
  t.refused(s.store->append(s.id, batch_of(batch, s.end)), Errc::conflict,
            "a batch whose part others wrote behind");
  expect_log(*s.store, s.id, plus(s.records, there), "after a conflict");
}

void crc_of_the_end(Trial& t) {
  Started s = start(t, 2);
  SessionInfo const info = t.must(s.store->info(s.id), "info");
  t.expect(info.end_crc == slow_crc32c(s.records.back().line), "end_crc is not the CRC-32C of the last line");
  Records const more{t.message("x")};
  Append batch = batch_of(more, s.end);
  batch.expected_crc = info.end_crc ^ 1U;
  t.refused(s.store->append(s.id, batch), Errc::conflict, "an append that expects another last line");
  expect_log(*s.store, s.id, s.records, "after a conflict");
  batch.expected_crc = info.end_crc;
  t.must(s.store->append(s.id, batch), "an append that expects the last line");
  t.must(s.store->append(s.id, batch), "and its repetition");
  t.expect(read_log(*s.store, s.id).records.size() == s.records.size() + 1, "the repetition doubled it");
}

void crc_of_another_log(Trial& t) {
  Started s = start(t, 2);
  SessionInfo const old = t.must(s.store->info(s.id), "info");
  t.must(s.store->remove(s.id), "remove");
  Records fresh = s.records; // with the same lengths
  std::size_t const at = fresh.back().line.find("text");
  fresh.back().line.replace(at, 4, "TEXT");
  t.must(s.store->append(s.id, batch_of(fresh)), "making it again");
  Records const more{t.message("x")};
  Append batch = batch_of(more, old.end);
  batch.expected_crc = old.end_crc;
  t.refused(s.store->append(s.id, batch), Errc::conflict, "an append made for the session that was removed");
  expect_log(*s.store, s.id, fresh, "after a conflict");
}

void sync_only(Trial& t) {
  Started s = start(t, 1);
  SessionInfo const before = t.must(s.store->info(s.id), "info");
  Append sync = batch_of({}, s.end);
  for (bool const durable : {true, false}) {
    sync.durable = durable;
    t.expect(t.must(s.store->append(s.id, sync), "an append of nothing") == s.end, "it answers another end");
  }
  Records const later{t.message("later")};
  t.must(s.store->append(s.id, batch_of(later, s.end)), "append");
  sync.durable = true;
  t.must(s.store->append(s.id, sync), "an append of nothing before an existing entry");
  expect_log(*s.store, s.id, plus(s.records, later), "after syncing");
  t.expect(t.must(s.store->info(s.id), "info").entries == before.entries + 1, "info changed by syncing");
  for (Position const expected : {Position{}, s.end}) {
    sync.expected = expected;
    t.refused(s.store->append(sid("none"), sync), Errc::not_found, "syncing what does not exist");
  }
  t.expect(list_checked(*s.store, {}).size() == 1, "syncing made a session");
}

void bad_lines(Trial& t) {
  Started s = start(t, 1);
  std::string const good = t.message("good").line, ended = good + '\n';
  for (std::string const& bad : std::vector<std::string>{"", "text", "[1]", R"({"a":1)", ended, ended + good,
                                                         good + "\r", " " + good, "{}\n{}"}) {
    Record record = t.message("bad");
    record.line = bad;
    Records const batch{t.message("first"), record, t.message("last")};
    t.refused(s.store->append(s.id, batch_of(batch, s.end)), Errc::invalid_argument, "a line " + quoted(bad));
    t.refused(s.store->append(sid("new"), batch_of({record})), Errc::invalid_argument,
              "a first line " + quoted(bad));
    t.refused(s.store->read(sid("new"), {}), Errc::not_found, "a session whose start was refused");
  }
  expect_log(*s.store, s.id, s.records, "after refused lines");
}

void info_is_after(Trial& t) {
  if (!t.dialect.has_ids) return; // hosts give no summary there
  Started s = start(t, 1);
  SessionInfo after = t.must(s.store->info(s.id), "info");
  Records const batch{t.message("a"), t.message("b")};
  for (Record const& record : batch) {
    RecordPage::Item item;
    static_cast<RecordView&>(item) = record.view();
    fold(after, item, t.dialect.name);
  }
  after.title = "set by the host"; // shows that the store kept this summary and did not fold one
  Append append = batch_of(batch, s.end);
  append.after = &after;
  after.end = t.must(s.store->append(s.id, append), "append"), after.end_crc = slow_crc32c(batch.back().line);
  std::string wrong = difference(after, t.must(s.store->info(s.id), "info"));
  t.expect(wrong.empty(), "info is not what was given: " + wrong);

  Records const more{t.message("c")};
  t.must(s.store->append(s.id, batch_of(more, after.end)), "append without a summary");
  t.must(s.store->append(s.id, append), "repeating the append before it");
  SessionInfo const info = t.must(s.store->info(s.id), "info");
  t.expect(info.entries == after.entries + 1, "repeating an append turned info back");
}

void info_is_folded(Trial& t) {
  Started s = start(t, 2);
  Position end = s.end;
  for (int i = 0; i < 4; ++i) {
    end = t.must(s.store->append(s.id, batch_of({t.message("m"), t.message("n")}, end)), "append");
    if (i % 2 == 0) continue; // several are folded at once
    std::string const wrong = difference(folded(*s.store, s.id), t.must(s.store->info(s.id), "info"));
    t.expect(wrong.empty(), "info is not the fold of the log: " + wrong);
  }
}

std::vector<EntryBody> bodies_of_every_kind() {
  Message answer = assistant("Let me look.", ToolUse{"tu_1", "read", RawJson::from(R"({"path":"x"})")});
  answer.generation = Generation{};
  answer.generation->provider = "anthropic";
  answer.generation->model = "claude";
  answer.generation->request_id = "req-1";
  answer.generation->usage = Usage{};
  answer.generation->usage->input = 1234567890123;
  answer.generation->usage->output = 7;
  answer.generation->usage->cache_read = 5;
  StateChange state;
  state.set = {{"int", RawJson::from("9007199254740993")},
               {"double", RawJson::from("1.0")},
               {"null", RawJson::from("null")},
               {"text", RawJson::from(R"("\ud800 \u0000")")},
               {"list", RawJson::from(R"([1,{"b":2,"a":1}])")},
               {"gone", RawJson::from("true")}};
  StateChange removed;
  removed.removed = {"gone"};
  ModelChange model;
  model.provider = "openai";
  model.model = "gpt";
  ModelChange thinking;
  thinking.thinking_level = "high";
  return {user("Please read x."),
          answer,
          tool_result(ToolUse{"tu_1", "read", {}}, "its text"),
          TitleChange{"A title: 'quoted', \"twice\"", true},
          state,
          removed,
          Label{EntryId("e1"), "a checkpoint"},
          model,
          thinking,
          ArchiveChange{true},
          CustomMessage{"note", {Text{"said by a host"}}},
          Custom{"ext", RawJson::from(R"({"n":1})")},
          BranchSummary{"what was tried"},
          Compaction{"a summary", EntryId("e3"), 100},
          user("after it")};
}

void info_of_every_kind(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("every");
  Header about;
  about.key = "agent:main:direct:x";
  about.agent = "main";
  about.user = "u-1";
  about.cwd = "/w";
  about.parent_session = "other";
  about.metadata = RawJson::from(R"({"z":1.50,"channel":"cli","big":12345678901234567890})");
  Position end = t.must(store->append(id, batch_of(t.session(id, 1, about))), "append");
  for (EntryBody& body : bodies_of_every_kind()) {
    if (!can_say(t, body)) continue;
    Records batch;
    if (auto const* message = std::get_if<Message>(&body))
      for (Message& one : t.dialect.split(*message)) batch.push_back(t.entry(std::move(one)));
    else
      batch.push_back(t.entry(std::move(body)));
    end = t.must(store->append(id, batch_of(batch, end)), "append");
    std::string const wrong = difference(folded(*store, id), t.must(store->info(id), "info"));
    t.expect(wrong.empty(), "info is not the fold of the log: " + wrong);
    SessionPage const page = t.must(store->list({}), "list");
    t.expect(page.sessions.size() == 1, "the session is not listed");
    std::string const listed = difference(t.must(store->info(id), "info"), page.sessions[0]);
    t.expect(listed.empty(), "list gives another summary than info: " + listed);
  }
}

void heads_only(Trial& t) {
  Started s = start(t, 5);
  ReadRange range;
  range.heads_only = true;
  std::string const wrong = difference(s.records, read_log(*s.store, s.id, range));
  t.expect(wrong.empty(), "read by heads: " + wrong);
}

void large_batches(Trial& t) {
  Started s = start(t, 1);
  Records batch;
  for (int i = 0; i < 3000; ++i) batch.push_back(t.message("one of many"));
  Records const all = plus(s.records, batch);
  Position const end = t.must(s.store->append(s.id, batch_of(batch, s.end)), "append of 3000");
  expect_log(*s.store, s.id, all, "a batch of 3000");
  t.expect(t.must(s.store->append(s.id, batch_of(batch, s.end)), "repeating it") == end, "another end");
  expect_log(*s.store, s.id, all, "after repeating a batch of 3000");
  ReadRange backwards;
  backwards.order = ReadRange::newest_first;
  std::string wrong = difference(all, read_log(*s.store, s.id, backwards));
  t.expect(wrong.empty(), "backwards: " + wrong);
  wrong = difference(folded(*s.store, s.id), t.must(s.store->info(s.id), "info"));
  t.expect(wrong.empty(), "info is not the fold of the log: " + wrong);
}

// Starts a session of a key only while the key has no other that is not archived.
void unless_active(Trial& t) {
  auto store = t.empty();
  Header about;
  about.key = "k";
  auto const start = [&](char const* name, std::string_view key) {
    Records const records = t.session(sid(name), 1, about);
    Append batch = batch_of(records);
    batch.unless_active = key;
    return store->append(sid(name), batch);
  };
  t.must(start("other", {}), "append");
  t.refused(start("s1", "k"), Errc::conflict, "a start while the key has a session");
  t.refused(store->read(sid("s1"), {}), Errc::not_found, "the session that was refused");
  t.must(start("s2", "another"), "a start for a key without a session");
  t.must(start("s3", {}), "a start without the requirement");
  t.must(store->remove(sid("s2")), "remove");
  t.must(store->remove(sid("s3")), "remove");
  t.must(store->remove(sid("other")), "remove");
  Records const again = t.session(sid("s4"), 1, about);
  Append batch = batch_of(again);
  batch.unless_active = "k";
  Position end = t.must(store->append(sid("s4"), batch), "a start after the key's session was removed");
  t.must(start("s5", {}), "a start without the requirement");
  t.expect(t.must(store->append(sid("s4"), batch), "repeating a start") == end, "repeating it: another end");
  t.must(store->remove(sid("s5")), "remove");
  ArchiveChange const archive{true};
  if (!can_say(t, archive)) return;
  t.must(store->append(sid("s4"), batch_of({t.entry(archive)}, end)), "archiving");
  t.must(start("s6", "k"), "a start while the key's session is archived");
}

void removed_is_kept(Trial& t) {
  t.expect(static_cast<bool>(t.subject.removed_lines), "`trash` is claimed without `removed_lines`");
  Started s = start(t, 3);
  t.must(s.store->remove(s.id), "remove");
  std::vector<std::string> lines;
  for (Record const& record : s.records) lines.push_back(record.line);
  t.expect(t.subject.removed_lines(s.id) == lines,
           "the trash does not hold the lines of the removed session");
}

void removed_permanently(Trial& t) {
  Started s = start(t, 3);
  t.must(s.store->remove_permanently(s.id), "remove_permanently");
  t.refused(s.store->read(s.id, {}), Errc::not_found, "reading what was removed permanently");
  t.refused(s.store->remove_permanently(s.id), Errc::not_found, "removing it permanently again");
  if (t.subject.removed_lines)
    t.expect(t.subject.removed_lines(s.id).empty(), "the trash holds a session that was removed permanently");
}

// Whether the lease keeps other writers out is tested where the lock is.
void leases(Trial& t) {
  Started s = start(t, 1);
  Result<Lease> const lease = Lease::acquire(*s.store, s.id);
  if (!lease) t.refused(lease, Errc::unsupported, "a lease that the store does not give");
  Records const more{t.message("under the lease")};
  t.must(s.store->append(s.id, batch_of(more, s.end)), "append of the store that was asked for a lease");
  expect_log(*s.store, s.id, plus(s.records, more), "after that append");
}

}}

void add_contract_checks(std::vector<Check>& all) {
  auto const add = [&](std::string_view name, std::string_view sentence, void (*run)(Trial&),
                       Claim needs = Claim::none) {
    all.push_back({{name, Tier::contract, sentence, needs}, run});
  };
  add("stale_append", "conflict if an entry exists after `expected`; nothing is written",
      contract_checks_inl::stale_append);
  add("expects_beyond", "conflict if `expected` is behind the end", contract_checks_inl::expected_beyond);
  add("expects_between", "conflict if `expected` is no end of an entry",
      contract_checks_inl::expected_between);
  add("expects_of_another", "conflict if `expected` is an end of another session only",
      contract_checks_inl::expected_of_another);
  add("same_id_other_bytes", "already_exists if an id of the batch exists after `expected` with other bytes",
      contract_checks_inl::same_id_other_bytes);
  add("ids_stand_again",
      "an id that exists before `expected` may occur again: logs of other programs do that",
      contract_checks_inl::ids_stand_again);
  add("repeats", "a batch that is stored already answers its old end, and is not doubled",
      contract_checks_inl::repeat_whole);
  add("repeats_behind_others", "so too when others wrote since", contract_checks_inl::repeat_behind_others);
  add("repeats_start", "so too the batch that made the session", contract_checks_inl::repeat_start);
  add("only_new", "with `only_new`, a start is already_exists also if the same records are stored",
      contract_checks_inl::only_new);
  add("repeats_after_reopen", "so too when the store was opened again",
      contract_checks_inl::repeat_after_reopen, Claim::persistent);
  add("completes_part", "a batch that is stored in part is completed", contract_checks_inl::complete_part);
  add("completes_start", "so too the batch that made the session", contract_checks_inl::complete_start);
  add("part_before_others", "a part of the batch with others' entries behind it is a conflict",
      contract_checks_inl::part_before_others);
  add("expected_crc", "another line at `expected` than `expected_crc` says is a conflict",
      contract_checks_inl::crc_of_the_end);
  add("expected_crc_remade", "so is an end that a session made again happens to have too",
      contract_checks_inl::crc_of_another_log);
  add("sync_only", "an empty batch changes nothing, and is not_found where there is no session",
      contract_checks_inl::sync_only);
  add("one_object_a_line",
      "a line that is not one JSON object on one line is invalid_argument; nothing of its batch is stored",
      contract_checks_inl::bad_lines);
  add("large_batches", "a batch of any size is all there", contract_checks_inl::large_batches);
  add("info_is_after", "info is `after` with the end that the store knows, and never goes back",
      contract_checks_inl::info_is_after);
  add("info_is_folded", "absent `after`, info is the fold of the log", contract_checks_inl::info_is_folded);
  add("info_of_every_kind", "info and list report everything a fold knows, typed values and all",
      contract_checks_inl::info_of_every_kind);
  add("heads_only", "reading by heads gives the same records where nothing is damaged",
      contract_checks_inl::heads_only);
  add("unless_active", "with `unless_active`, conflict while another session of the key is not archived",
      contract_checks_inl::unless_active);
  add("leases", "a lease is unsupported, or keeps out other stores only", contract_checks_inl::leases);
  add("permanent_removal", "remove_permanently leaves nothing of a session",
      contract_checks_inl::removed_permanently);
  add("trash", "remove moves to a trash where the store has one", contract_checks_inl::removed_is_kept,
      Claim::trash);
}

}}}
