// SPDX-License-Identifier: MIT
// Stores that break the contract in one way each: a check of the kit, known by its name, must say so.
#include "custom_store/custom_store.hpp"
#include "kit.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

using namespace sessionkit_test;
using kit::Claim;
using kit::StoreUnderTest;
using sk::Append;
using sk::Errc;
using sk::Error;
using sk::ListQuery;
using sk::Position;
using sk::ReadRange;
using sk::RecordPage;
using sk::RecordView;
using sk::Result;
using sk::SessionId;
using sk::SessionInfo;
using sk::SessionPage;
using sk::SessionStore;

namespace {

using Shared = std::shared_ptr<SessionStore>;

/// A good store; each broken one does one thing otherwise.
class Good : public SessionStore {
 public:
  Result<Position> append(SessionId const& id, Append const& batch) override { return in->append(id, batch); }
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    return in->read(id, range);
  }
  Result<SessionInfo> info(SessionId const& id) override { return in->info(id); }
  Result<SessionPage> list(ListQuery const& query) override { return in->list(query); }
  Result<void> remove(SessionId const& id) override { return in->remove(id); }

 protected:
  Position end_of(SessionId const& id) {
    auto const page = in->read(id, {});
    return page ? page->log_end : Position{};
  }
  Shared in = std::make_shared<custom::MapStore>();
};

template <class Change> Result<RecordPage> changed(Result<RecordPage> page, Change change) {
  if (!page) return page;
  RecordPage out;
  for (auto const& item : page->items()) {
    std::string line(item.line), id(item.id);
    RecordView view = item;
    change(view, line, id);
    view.line = line;
    view.id = id;
    out.add(item.end, view);
  }
  out.more = page->more, out.next = page->next, out.log_end = page->log_end;
  return out;
}

struct LosesLastOfBatch : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    Append less = batch;
    if (less.records.size() > 1) less.records.pop_back();
    return in->append(id, less);
  }
};
struct IgnoresExpected : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    Append any = batch;
    any.expected_crc.reset();
    if (batch.expected != Position{}) any.expected = end_of(id);
    return in->append(id, any);
  }
};
struct IgnoresCrc : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    Append any = batch;
    any.expected_crc.reset();
    return in->append(id, any);
  }
};
struct OneIdABatch : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    Append less = batch;
    less.records.clear();
    std::set<std::string_view> ids;
    for (RecordView const& record : batch.records)
      if (record.id.empty() || ids.insert(record.id).second) less.records.push_back(record);
    return in->append(id, less);
  }
};
struct KeepsOnlyThousand : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    Append less = batch;
    if (less.records.size() > 1000) less.records.resize(1000);
    return in->append(id, less);
  }
};
struct ReadsOnlyHundreds : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    Result<RecordPage> page = in->read(id, range);
    if (page && range.order == ReadRange::oldest_first && page->next.value() > 400) page->more = false;
    return page;
  }
};
struct CountsOnlyHundreds : Good {
  Result<SessionInfo> info(SessionId const& id) override {
    Result<SessionInfo> info = in->info(id);
    if (info) info->entries = std::min<std::uint64_t>(info->entries, 400);
    return info;
  }
};
struct AlwaysNative : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    Result<RecordPage> page = in->read(id, range);
    if (page) page->dialect = "native";
    return page;
  }
};
/// Keeps other writers off a batch, but not readers.
struct ShowsHalves : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    std::lock_guard<std::mutex> const lock(writing);
    if (batch.records.size() < 2 || batch.expected == Position{} || end_of(id) != batch.expected)
      return in->append(id, batch);
    Append one = batch;
    Result<Position> end = batch.expected;
    for (RecordView const& record : batch.records) {
      one.records = {record};
      one.expected = *end;
      one.after = &record == &batch.records.back() ? batch.after : nullptr;
      end = in->append(id, one);
      if (!end) return end;
      one.expected_crc.reset();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return end;
  }
  std::mutex writing;
};
struct DoublesOnRepeat : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    Append again = batch;
    auto const before = end_of(id);
    auto const got = in->append(id, batch);
    if (!got || batch.records.empty() || *got > before) return got;
    again.expected = before;
    return in->append(id, again);
  }
};
struct RepeatIsConflict : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    if (batch.expected != Position{} && !batch.records.empty() && end_of(id) != batch.expected
        && in->info(id))
      return Error{Errc::conflict, 0, "somebody wrote"};
    return in->append(id, batch);
  }
};
struct RepeatsWholeForPart : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto const before = end_of(id);
    auto const got = in->append(id, batch);
    if (!got || *got <= before || batch.expected == before || batch.expected == Position{}) return got;
    Append again = batch;
    again.expected = *got;
    return in->append(id, again);
  }
};
struct StartsOver : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    if (batch.expected == Position{} && !batch.records.empty()) (void)in->remove(id);
    return in->append(id, batch);
  }
};
struct CreatesBehindNothing : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    Append any = batch;
    if (!in->info(id)) any.expected = Position{}, any.expected_crc.reset();
    return in->append(id, any);
  }
};
struct SyncsNothing : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    return batch.records.empty() ? Result<Position>(batch.expected) : in->append(id, batch);
  }
};
struct ConflictIsIoError : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto got = in->append(id, batch);
    return !got && got.error().code == Errc::conflict ? Error{Errc::io_error, 0, "?"} : got;
  }
};
struct TakesOtherBytes : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto got = in->append(id, batch);
    return !got && got.error().code == Errc::already_exists && batch.expected != Position{}
               ? Result<Position>(end_of(id))
               : got;
  }
};
struct IdsAreUnique : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto const page = in->read(id, {});
    if (page && end_of(id) == batch.expected)
      for (auto const& item : page->items())
        for (auto const& ours : batch.records)
          if (item.id == ours.id) return Error{Errc::already_exists, 0, "UNIQUE constraint failed"};
    return in->append(id, batch);
  }
};
struct AnswersWrongEnd : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto const got = in->append(id, batch);
    return got && !batch.records.empty() ? Result<Position>(end_of(id)) : got;
  }
};
struct TakesAnyLine : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto got = in->append(id, batch);
    return !got && got.error().code == Errc::invalid_argument ? Result<Position>(batch.expected) : got;
  }
};
struct KeepsPartOfBadBatch : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto got = in->append(id, batch);
    if (got || got.error().code != Errc::invalid_argument) return got;
    Append part = batch;
    part.records.resize(1);
    (void)in->append(id, part);
    return got;
  }
};
struct Throws : Good {
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    if (!got) throw std::runtime_error("no such session");
    return got;
  }
};
struct MissingIsEmpty : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    auto got = in->read(id, range);
    if (!got) return RecordPage{};
    return got;
  }
};
struct IgnoresOrder : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    ReadRange forward = range;
    forward.order = ReadRange::oldest_first;
    return in->read(id, forward);
  }
};
struct IgnoresMostRecords : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    ReadRange all = range;
    all.max_records = 256;
    return in->read(id, all);
  }
};
struct IgnoresMostBytes : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    ReadRange all = range;
    all.max_bytes = 1U << 20;
    return in->read(id, all);
  }
};
struct EmptyPageForLongLine : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    auto page = in->read(id, range);
    if (page && !page->items().empty() && page->items()[0].line.size() > range.max_bytes) {
      RecordPage none;
      none.more = page->more, none.next = page->next, none.log_end = page->log_end;
      return none;
    }
    return page;
  }
};
struct FromIsInclusive : Good { // the record that ends there, once more
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    ReadRange wider = range;
    if (range.from && range.order == ReadRange::oldest_first && range.from->value() > 0)
      wider.from = Position{range.from->value() - 1};
    return in->read(id, wider);
  }
};
struct PagesOverlap : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    auto page = in->read(id, range);
    if (page && page->items().size() > 1 && range.order == ReadRange::oldest_first)
      page->next = page->items()[page->items().size() - 2].end;
    return page;
  }
};
struct ReadingNeverEnds : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    auto page = in->read(id, range);
    if (page) page->more = true;
    return page;
  }
};
struct LogEndIsOfPage : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    auto page = in->read(id, range);
    if (page) page->log_end = page->items().empty() ? Position{} : page->items().back().end;
    return page;
  }
};
struct NormalisesJson : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    return changed(in->read(id, range), [](RecordView&, std::string& line, std::string&) {
      for (std::size_t at; (at = line.find("[ 1 ,\t2 ]")) != std::string::npos;) line.replace(at, 9, "[1,2]");
    });
  }
};
struct ReplacesBytes : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    return changed(in->read(id, range), [](RecordView&, std::string& line, std::string&) {
      for (std::size_t at; (at = line.find('\xFF')) != std::string::npos;)
        line.replace(at, 1, "\xEF\xBF\xBD");
    });
  }
};
struct CutsIdsAtNul : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    return changed(in->read(id, range),
                   [](RecordView&, std::string&, std::string& entry) { entry = entry.c_str(); });
  }
};
struct CutsLongLines : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    std::vector<std::string> lines;
    Append cut = batch;
    lines.reserve(cut.records.size());
    for (RecordView& record : cut.records)
      if (record.line.size() > 1U << 20)
        record.line = lines.emplace_back(std::string(record.line.substr(0, 1U << 20)) + "}");
    return in->append(id, cut);
  }
};
struct FoldsCase : Good {
  static SessionId lower(SessionId const& id) {
    std::string text = id.str();
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return SessionId::parse(text).value();
  }
  Result<Position> append(SessionId const& id, Append const& b) override { return in->append(lower(id), b); }
  Result<RecordPage> read(SessionId const& id, ReadRange const& r) override { return in->read(lower(id), r); }
  Result<SessionInfo> info(SessionId const& id) override { return in->info(lower(id)); }
  Result<void> remove(SessionId const& id) override { return in->remove(lower(id)); }
};
struct InfoIsOld : Good {
  std::map<SessionId, SessionInfo> first;
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    if (got) return first.emplace(id, *got).first->second;
    return got;
  }
};
struct InfoLosesState : Good {
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    if (got) got->state.clear();
    return got;
  }
};
struct ListLosesUsage : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    auto got = in->list(query);
    if (got)
      for (auto& info : got->sessions) info.usage = {};
    return got;
  }
};
struct IgnoresAfter : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    Append plain = batch;
    plain.after = nullptr;
    return in->append(id, plain);
  }
};
struct NeedsAfter : Good {
  std::map<SessionId, SessionInfo> known;
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto const got = in->append(id, batch);
    if (got && (batch.after != nullptr || known.count(id) == 0))
      known.insert_or_assign(id, in->info(id).value());
    return got;
  }
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    return got && known.count(id) > 0 ? known.at(id) : got;
  }
};
struct AfterGoesBack : Good {
  std::map<SessionId, SessionInfo> known;
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto const got = in->append(id, batch);
    if (!got || batch.records.empty()) return got;
    SessionInfo now = batch.after ? *batch.after : in->info(id).value();
    now.end = *got;
    known.insert_or_assign(id, now);
    return got;
  }
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    if (got && known.count(id) > 0) {
      known.at(id).end_crc = got->end_crc;
      return known.at(id);
    }
    return got;
  }
};
struct NoEndCrc : Good {
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    if (got) got->end_crc = 0;
    return got;
  }
};

// Lists.

template <class Change> Result<SessionPage> all_of(Shared const& in, ListQuery const& query, Change change) {
  ListQuery all = query;
  all.limit = 1U << 20;
  auto page = in->list(all);
  if (!page) return page;
  change(page->sessions);
  if (page->sessions.size() > query.limit) {
    page->sessions.erase(page->sessions.begin() + static_cast<std::ptrdiff_t>(query.limit),
                         page->sessions.end());
    auto const& last = page->sessions.back();
    page->next = std::to_string(sk::to_unix_ms(last.updated)) + ":" + last.id.str();
  }
  return page;
}
struct ListByName : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    return all_of(in, query, [](auto& sessions) {
      std::sort(sessions.begin(), sessions.end(), [](auto const& a, auto const& b) { return a.id < b.id; });
    });
  }
};
struct ListOldestFirst : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    return all_of(in, query, [](auto& sessions) { std::reverse(sessions.begin(), sessions.end()); });
  }
};
struct IgnoresAgent : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    any.agent.reset();
    return in->list(any);
  }
};
struct IgnoresArchived : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    any.archived.reset();
    return in->list(any);
  }
};
struct IgnoresUserOfKey : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    if (any.key) any.user.reset();
    return in->list(any);
  }
};
struct IgnoresArchivedOfKey : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    if (any.key) any.archived.reset();
    return in->list(any);
  }
};
struct CutsBeforeItFilters : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    any.archived.reset();
    Result<SessionPage> page = in->list(any);
    if (!page || !query.archived) return page;
    auto& all = page->sessions;
    auto const others = [&](SessionInfo const& info) { return info.archived != *query.archived; };
    all.erase(std::remove_if(all.begin(), all.end(), others), all.end());
    return page;
  }
};
struct KeyByPrefix : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    any.key.reset();
    return all_of(in, any, [&](auto& sessions) {
      sessions.erase(
          std::remove_if(sessions.begin(), sessions.end(),
                         [&](auto const& info) { return query.key && info.key.find(*query.key) != 0; }),
          sessions.end());
    });
  }
};
struct PagesByOffset : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery all = query;
    all.cursor.clear();
    all.limit = 1U << 20;
    std::size_t at = 0;
    for (char const c : query.cursor) {
      if (c < '0' || c > '9' || at > 100000) return Error{Errc::invalid_argument, 0, "no cursor"};
      at = at * 10 + static_cast<std::size_t>(c - '0');
    }
    if (at == 12) return Error{Errc::invalid_argument, 0, "no cursor"};
    auto page = in->list(all);
    if (!page) return page;
    auto& sessions = page->sessions;
    sessions.erase(sessions.begin(),
                   sessions.begin() + static_cast<std::ptrdiff_t>(std::min(at, sessions.size())));
    page->next.clear();
    if (sessions.size() > query.limit) {
      sessions.erase(sessions.begin() + static_cast<std::ptrdiff_t>(query.limit), sessions.end());
      if (query.limit > 0) page->next = std::to_string(at + query.limit);
    }
    return page;
  }
};
struct NextAlways : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    auto page = in->list(query);
    if (page && !page->sessions.empty()) {
      auto const& last = page->sessions.back();
      page->next = std::to_string(sk::to_unix_ms(last.updated)) + ":" + last.id.str();
    }
    return page;
  }
};
struct BadCursorStartsAgain : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    auto page = in->list(query);
    if (page) return page;
    ListQuery first = query;
    first.cursor.clear();
    return in->list(first);
  }
};
struct LimitZeroIsAll : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    if (any.limit == 0) any.limit = 1000;
    return in->list(any);
  }
};
struct CursorByTimeAlone : Good { // skips sessions of one time
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery strict = query;
    if (auto const colon = strict.cursor.find(':');
        colon != std::string::npos && sk::SessionId::parse(strict.cursor.substr(colon + 1)))
      strict.cursor = strict.cursor.substr(0, colon + 1) + std::string(128, 'z');
    return in->list(strict);
  }
};
struct RemoveDoesNot : Good {
  Result<void> remove(SessionId const& id) override {
    if (auto const got = in->info(id); !got) return got.error();
    return {};
  }
};
struct RemoveTwiceIsFine : Good {
  Result<void> remove(SessionId const& id) override {
    (void)in->remove(id);
    return {};
  }
};
struct RemovedHaunts : Good { // its row stays
  std::map<SessionId, std::string> keys;
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    if (got) got->key = keys.emplace(id, got->key).first->second;
    return got;
  }
};

// Threads.

struct WritesOneByOne : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    if (batch.records.size() < 2 || batch.expected == Position{}) return in->append(id, batch);
    Append one = batch;
    Position end;
    for (RecordView const& record : batch.records) {
      one.records = {record};
      for (;;) {
        auto const got = in->append(id, one);
        if (!got && got.error().code == Errc::conflict && &record != &batch.records.front()) {
          one.expected = end_of(id);
          continue;
        }
        if (!got) return got;
        end = *got;
        break;
      }
      one.expected = end;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return end;
  }
};
struct ChecksThenWrites : Good { // looks for the session without keeping others off
  Result<Position> append(SessionId const& id, Append const& batch) override {
    if (batch.expected != Position{} || batch.records.empty()) return in->append(id, batch);
    bool const there = static_cast<bool>(in->info(id));
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    if (there) return in->append(id, batch);
    (void)in->remove(id);
    return in->append(id, batch);
  }
};

// Faults: the n-th call "below" fails, whatever that is.

struct Faulty : Good {
  static std::int64_t at, calls, fired;
  static bool sticky;
  static bool fails() {
    bool const now = at >= 0 && (sticky ? calls >= at : calls == at);
    ++calls;
    fired += now ? 1 : 0;
    return now;
  }
  Result<Position> append(SessionId const& id, Append const& batch) override {
    return fails() ? Result<Position>(Error{Errc::not_written, 0, "the disk"}) : in->append(id, batch);
  }
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    return fails() ? Result<RecordPage>(Error{Errc::io_error, 0, "the disk"}) : in->read(id, range);
  }
  Result<SessionInfo> info(SessionId const& id) override {
    return fails() ? Result<SessionInfo>(Error{Errc::io_error, 0, "the disk"}) : in->info(id);
  }
  Result<SessionPage> list(ListQuery const& query) override {
    return fails() ? Result<SessionPage>(Error{Errc::io_error, 0, "the disk"}) : in->list(query);
  }
  Result<void> remove(SessionId const& id) override {
    return fails() ? Result<void>(Error{Errc::io_error, 0, "the disk"}) : in->remove(id);
  }
};
std::int64_t Faulty::at = -1, Faulty::calls = 0, Faulty::fired = 0;
bool Faulty::sticky = false;

struct SwallowsFault : Faulty {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto const got = Faulty::append(id, batch);
    return got || got.error().code != Errc::not_written ? got : Result<Position>(Position{99});
  }
};
struct WritesAndSaysNot : Faulty {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto const got = Faulty::append(id, batch);
    if (!got && got.error().code == Errc::not_written) (void)in->append(id, batch);
    return got;
  }
};
struct FaultIsNotFound : Faulty {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    auto got = Faulty::read(id, range);
    if (!got) return Error{Errc::not_found, 0, "no session"};
    return got;
  }
};
struct FaultIsEmptyList : Faulty {
  Result<SessionPage> list(ListQuery const& query) override {
    auto got = Faulty::list(query);
    return got ? std::move(got) : Result<SessionPage>(SessionPage{});
  }
};
struct FaultIsConflict : Faulty {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto const got = Faulty::append(id, batch);
    return got || got.error().code != Errc::not_written ? got : Error{Errc::conflict, 0, "?"};
  }
};
struct KeepsHalf : Faulty {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto got = Faulty::append(id, batch);
    if (got || got.error().code != Errc::not_written) return got;
    Append half = batch;
    half.records.resize((half.records.size() + 1) / 2);
    (void)in->append(id, half);
    return Error{Errc::outcome_unknown, 0, "?"};
  }
};

struct Mutant {
  char const* name;
  std::function<Shared()> make;
  char const* caught_by;
  Claim claims = Claim::any_bytes;
};
template <class Store>
Mutant mutant(char const* name, char const* caught_by, Claim claims = Claim::any_bytes) {
  return {name, [] { return std::make_shared<Store>(); }, caught_by, claims};
}
constexpr Claim faults = Claim::survives_faults;

std::vector<Mutant> mutants() {
  return {
      mutant<LosesLastOfBatch>("loses the last entry of a batch", "starts_a_session"),
      mutant<IgnoresExpected>("ignores where the append is expected", "stale_append"),
      mutant<IgnoresCrc>("ignores the expected checksum", "expected_crc"),
      mutant<IgnoresCrc>("ignores the expected checksum", "expected_crc_remade"),
      mutant<DoublesOnRepeat>("doubles on repeat", "repeats"),
      mutant<DoublesOnRepeat>("doubles on repeat", "agrees_with_a_model"),
      mutant<RepeatIsConflict>("calls a repetition a conflict", "repeats"),
      mutant<RepeatsWholeForPart>("writes all of a batch of which a part stands", "completes_part"),
      mutant<StartsOver>("starts a session over", "existing_session"),
      mutant<StartsOver>("starts a session over", "repeats_start"),
      mutant<CreatesBehindNothing>("creates what does not exist", "missing_session"),
      mutant<SyncsNothing>("syncs what does not exist", "sync_only"),
      mutant<ConflictIsIoError>("calls a conflict an error of the disk", "stale_append"),
      mutant<ConflictIsIoError>("calls a conflict an error of the disk", "expects_beyond"),
      mutant<ConflictIsIoError>("calls a conflict an error of the disk", "part_before_others"),
      mutant<TakesOtherBytes>("drops an entry whose id is taken", "same_id_other_bytes"),
      mutant<OneIdABatch>("drops the second of equal ids in a batch", "ids_stand_again"),
      mutant<KeepsOnlyThousand>("keeps a thousand of a batch", "large_batches"),
      mutant<ReadsOnlyHundreds>("reads no further than some hundred", "large_batches"),
      mutant<CountsOnlyHundreds>("counts no further than some hundred", "large_batches"),
      mutant<AlwaysNative>("takes every line for native", "dialects"),
      mutant<ShowsHalves>("shows a batch while it grows", "threads_on_one_session",
                          Claim::any_bytes | Claim::transactional_batches),
      mutant<IdsAreUnique>("lets no id stand twice", "ids_stand_again"),
      mutant<AnswersWrongEnd>("answers the end of the log for a repetition", "repeats_behind_others"),
      mutant<TakesAnyLine>("takes any line", "one_object_a_line"),
      mutant<KeepsPartOfBadBatch>("keeps a part of a refused batch", "one_object_a_line"),
      mutant<Throws>("throws", "missing_session"),
      mutant<MissingIsEmpty>("reads a missing session as an empty one", "missing_session"),
      mutant<IgnoresOrder>("ignores the order asked for", "reads_both_orders"),
      mutant<IgnoresMostRecords>("ignores how many records were asked for", "reads_both_orders"),
      mutant<IgnoresMostBytes>("ignores how many bytes were asked for", "bounds_bytes"),
      mutant<EmptyPageForLongLine>("gives no record where one is too long", "bounds_bytes"),
      mutant<PagesOverlap>("gives a record on two pages", "reads_both_orders"),
      mutant<ReadingNeverEnds>("says that more follows, always", "starts_a_session"),
      mutant<LogEndIsOfPage>("takes the end of a page for that of the log", "reads_both_orders"),
      mutant<FromIsInclusive>("reads on from one record too early", "reads_from_any_end"),
      mutant<NormalisesJson>("normalises JSON", "raw_lines"),
      mutant<ReplacesBytes>("replaces bytes that are not UTF-8", "bytes_not_utf8"),
      mutant<CutsIdsAtNul>("cuts ids at a NUL", "entry_ids"),
      mutant<CutsLongLines>("cuts long lines", "long_lines"),
      mutant<FoldsCase>("does not tell a from A", "session_ids"),
      mutant<InfoIsOld>("tells an old summary", "info_follows"),
      mutant<InfoIsOld>("tells an old summary", "info_is_folded"),
      mutant<InfoLosesState>("loses state", "info_of_every_kind"),
      mutant<InfoLosesState>("loses state", "state_values"),
      mutant<ListLosesUsage>("lists without usage", "info_of_every_kind"),
      mutant<IgnoresAfter>("ignores the summary it is given", "info_is_after"),
      mutant<NeedsAfter>("keeps its summary where none is given", "info_is_folded"),
      mutant<AfterGoesBack>("takes the summary of a repetition", "info_is_after"),
      mutant<NoEndCrc>("knows no checksum of the end", "expected_crc"),
      mutant<ListByName>("forgets the order in list", "lists_newest_first"),
      mutant<ListOldestFirst>("lists oldest first", "lists_newest_first"),
      mutant<IgnoresAgent>("ignores the agent", "filters"),
      mutant<IgnoresArchived>("ignores what is archived", "filters_archived"),
      mutant<IgnoresUserOfKey>("ignores the user where a key is asked for", "filters"),
      mutant<IgnoresArchivedOfKey>("ignores what is archived where a key is asked for", "filters"),
      mutant<CutsBeforeItFilters>("cuts a page before it leaves out the archived", "filters"),
      mutant<KeyByPrefix>("finds keys by their beginning", "filters"),
      mutant<PagesByOffset>("pages by offset", "stable_pages"),
      mutant<PagesByOffset>("pages by offset", "cursor_outlives"),
      mutant<NextAlways>("always has a next page", "pages_of_lists"),
      mutant<BadCursorStartsAgain>("starts again at a bad cursor", "bad_cursors"),
      mutant<LimitZeroIsAll>("takes limit 0 for none", "limit_0"),
      mutant<CursorByTimeAlone>("skips sessions of one time", "equal_times"),
      mutant<RemoveDoesNot>("removes nothing", "removes"),
      mutant<RemoveTwiceIsFine>("removes what is not there", "removes"),
      mutant<RemovedHaunts>("keeps something of a removed session", "makes_again"),
      mutant<WritesOneByOne>("lets others into a batch", "threads_on_one_session"),
      mutant<ChecksThenWrites>("lets two start one session", "threads_start_one_session"),
      mutant<SwallowsFault>("acknowledges what failed", "append_faults", faults),
      mutant<WritesAndSaysNot>("writes and says it did not", "append_faults", faults),
      mutant<FaultIsNotFound>("calls what cannot be read missing", "reading_faults", faults),
      mutant<FaultIsEmptyList>("lists nothing where it cannot read", "reading_faults", faults),
      mutant<FaultIsConflict>("calls a failure a conflict", "durable_append_faults", faults),
      mutant<KeepsHalf>("keeps a half though batches are claimed whole", "all_or_nothing",
                        faults | Claim::transactional_batches),
      // Claims without what is claimed.
      mutant<Good>("forgets when closed", "opens_again", Claim::persistent),
      mutant<Good>("shares nothing", "two_stores", Claim::shared),
      mutant<Good>("syncs nothing", "durable", Claim::durable),
      mutant<Good>("has no trash", "trash", Claim::trash),
      mutant<Good>("never fails", "append_faults", faults),
  };
}

StoreUnderTest subject(Mutant const& mutant) {
  StoreUnderTest store;
  store.name = mutant.name;
  store.open_empty = [make = mutant.make] { return Result<Shared>(make()); };
  store.open_again = store.open_empty; // forgets; who claims to remember is caught by it
  store.claims = mutant.claims;
  store.syncs = [] { return std::uint64_t{0}; };
  store.removed_lines = [](SessionId const&) { return std::vector<std::string>{}; };
  store.fail_call = [](std::int64_t n, bool sticky) {
    bool const fired = Faulty::fired > 0;
    Faulty::at = n, Faulty::sticky = sticky;
    Faulty::calls = Faulty::fired = 0;
    return fired;
  };
  return store;
}

}

TEST_CASE("each broken store is caught by the check that is there for it") {
  for (Mutant const& one : mutants()) {
    INFO("a store that " << one.name << " passes " << one.caught_by);
    auto options = kit_options();
    options.only = one.caught_by;
    kit::ConformanceReport const report = kit::check_store(subject(one), options);
    auto const found = std::find_if(report.checks.begin(), report.checks.end(),
                                    [&](auto const& check) { return check.name == one.caught_by; });
    REQUIRE(found != report.checks.end());
    CHECK(found->verdict == kit::Verdict::failed);
    CHECK_FALSE(found->seen.empty());
    CHECK_FALSE(report.ok());
    CHECK(report.failures().find(one.caught_by) != std::string::npos);
  }
}

TEST_CASE("the stores they are made of keep the contract") {
  CHECK(kit::check_store(subject(mutant<Good>("good", "")), kit_options()).failures().empty());
  CHECK(kit::check_store(subject(mutant<Faulty>("faulty", "", faults | Claim::transactional_batches)),
                         kit_options())
            .failures()
            .empty());
}

TEST_CASE("every check of the kit is known to catch a store, or named here") {
  std::set<std::string_view> caught;
  for (Mutant const& one : mutants()) caught.insert(one.caught_by);
  std::set<std::string_view> const elsewhere{"continues_a_session",
                                             "reads_beyond_the_end",
                                             "page_owns_its_bytes",
                                             "empty_is_empty", // as the others of core
                                             "expects_between",
                                             "expects_of_another", // other positions than a count
                                             "repeats_after_reopen",
                                             "completes_start",
                                             "heads_only",
                                             "filters_users",
                                             "many_of_a_key",
                                             "order_of_entries",
                                             "keys_and_agents",
                                             "types_and_parents",
                                             "threads_on_many_sessions",
                                             "threads_remove",
                                             "two_stores_and_threads",
                                             "processes",
                                             "killed",
                                             "any_bytes",
                                             "start_faults",
                                             "removal_faults"};
  for (kit::CheckName const& check : kit::conformance_checks()) {
    CAPTURE(check.name);
    CHECK((caught.count(check.name) > 0) != (elsewhere.count(check.name) > 0));
    CHECK_FALSE(check.sentence.empty());
  }
}

TEST_CASE("a report is JSON, and a table with a row for each store") {
  auto options = kit_options();
  options.sequences = 1;
  kit::ConformanceReport const report =
      kit::check_store(subject(mutant<LosesLastOfBatch>("bad \"one\"", "")), options);
  std::string const json = report.to_json(), table = kit::to_table({report});
  CHECK(sk::RawJson::parse(json).ok());
  CHECK(json.find(R"("store":"bad \"one\"")") != std::string::npos);
  CHECK(json.find(R"("verdict":"not_claimed","seen":"persistent")") != std::string::npos);
  CHECK(table.find("BAD") != std::string::npos);
  CHECK(table.find("persistent, shared, shared_between_processes") != std::string::npos);
}
