// SPDX-License-Identifier: MIT
// Stores that misreport failures below them.
#pragma once
#include "broken/good.hpp"

namespace sessionkit_test { namespace broken {

// Faults: the n-th call "below" fails, whatever it is.

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
inline std::int64_t Faulty::at = -1, Faulty::calls = 0, Faulty::fired = 0;
inline bool Faulty::sticky = false;

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

}}
