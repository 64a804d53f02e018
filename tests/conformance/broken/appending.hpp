// SPDX-License-Identifier: MIT
// Stores that append wrongly.
#pragma once
#include "broken/good.hpp"

#include <sessionkit/detail/store/store_extras.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace sessionkit_test { namespace broken {

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
struct LeaseKeepsItselfOut : Good, sk::detail::StoreExtras {
  LeaseKeepsItselfOut() : Good(this) {}
  Result<std::shared_ptr<void>> hold(SessionId const&) override {
    auto const lease = std::make_shared<int>();
    held = lease;
    return std::shared_ptr<void>(lease);
  }
  bool is_exclusive() const noexcept override { return false; }
  Result<Position> durable_position(SessionId const& id) override { return end_of(id); }
  Result<sk::detail::LastRecord> last_record(SessionId const& id) override {
    auto const known = info(id);
    return known ? sk::detail::LastRecord{known->end, known->end_crc}
                 : Result<sk::detail::LastRecord>(known.error());
  }
  Result<Position> append(SessionId const& id, Append const& batch) override {
    if (!held.expired()) return Error{Errc::timed_out, 0, "somebody has a lease"};
    return in->append(id, batch);
  }
  std::weak_ptr<int> held;
};
struct IgnoresUnlessActive : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    Append any = batch;
    any.unless_active = {};
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
struct NewIsOld : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    Append any = batch;
    any.only_new = false;
    return in->append(id, any);
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

}}
