// SPDX-License-Identifier: MIT
// What a writer asks of the system, and what is stored if the system refuses it.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/log_writer.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/transcript/file_writer.hpp>

#include <algorithm>
#include <cerrno>
#include <optional>

#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;

namespace {

std::string const h = header_line(), a = message_line("a", "", "1"), b = message_line("b", "a", "2"),
                  c = message_line("c", "b", "3"), d = message_line("d", "c", "4");

// A host that repeats unacknowledged appends over failing system calls.
struct Tally {
  int lost = 0, doubled = 0, false_success = 0, false_failure = 0, stuck = 0;
};
bool run_with_fault(FaultyFileOps& ops, std::string const& path, Tally& tally) {
  std::vector<std::string> const all{h, a, b, c, d};
  std::vector<std::string> acked;
  Position end{};
  std::optional<sk::detail::FileWriter> writer;
  int attempts = 0;
  for (std::size_t i = 0; i < all.size();) {
    if (++attempts > 40) ops.reset(); // the fault is over
    if (attempts > 80) {
      ++tally.stuck;
      break;
    }
    if (!writer) {
      auto opened =
          sk::detail::FileWriter::open(ops, {sk::detail::working_directory, path, path}, creating());
      if (!opened) continue;
      writer.emplace(std::move(*opened));
    }
    auto const result = writer->append(Batch({all[i]}, end, i % 2 == 1));
    if (result) {
      auto const now = stored_lines(path); // acknowledged: it must be stored now
      if (now.size() != i + 1 || now.back() != all[i]) ++tally.false_success;
      acked.push_back(all[i]);
      end = *result;
      ++i;
    } else if (result.error().code == Errc::poisoned) {
      writer.reset();
    } else if (result.error().code == Errc::not_written || result.error().code == Errc::no_space) {
      if (stored_lines(path).size() > i) ++tally.false_failure;
    }
  }
  writer.reset();
  bool const fired = attempts > 40 || ops.fired > 0;
  std::vector<std::string> const stored_now = stored_lines(path);
  for (std::string const& line : acked)
    if (std::count(stored_now.begin(), stored_now.end(), line) == 0) ++tally.lost;
  for (std::string const& line : all)
    if (std::count(stored_now.begin(), stored_now.end(), line) > 1) ++tally.doubled;
  return fired || ops.calls() > ops.fault.at;
}

}

TEST_CASE("a normal append takes at most five system calls, a durable one six") {
  TempDir dir;
  FaultyFileOps ops;
  auto writer = open_log(ops, dir / "t.jsonl", creating());
  Position end = writer.append(Batch({h}, {}, true)).value();
  for (bool const durable : {false, true}) {
    ops.reset();
    end = writer.append(Batch({durable ? b : a}, end, durable)).value();
    CHECK(ops.calls() + ops.calls(Call::process) <= (durable ? 6 : 5));
    CHECK(ops.calls(Call::write) == 1);
    CHECK(ops.calls(Call::sync_data) == (durable ? 1 : 0));
    CHECK(ops.bytes_read == 0);
  }
}

TEST_CASE("durable means synced: the file, and its directory once") {
  TempDir dir;
  FaultyFileOps ops;
  auto writer = open_log(ops, dir / "t.jsonl", creating());
  Position const first = writer.append(Batch({h})).value();
  CHECK(writer.durable_position() == Position{});
  CHECK(ops.calls(Call::sync_data) == 0);
  Position const second = writer.append(Batch({a}, first, true)).value();
  CHECK(writer.durable_position() == second);
  CHECK(ops.calls(Call::sync_data) == 1);
  CHECK(ops.calls(Call::sync) == 1);
  Position const third = writer.append(Batch({b}, second)).value();
  CHECK(writer.append(Batch({}, third, true)).value() == third); // sync only
  CHECK(writer.durable_position() == third);
  CHECK(ops.calls(Call::sync_data) == 2);
  CHECK(ops.calls(Call::sync) == 1);
  CHECK(writer.append(Batch({}, third, true)).ok()); // nothing new
  CHECK(writer.append(Batch({b}, second, true)).value() == third);
  CHECK(ops.calls(Call::sync_data) == 2);
}

TEST_CASE("a failed sync poisons the writer permanently") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  for (Call const call : {Call::sync_data, Call::sync}) {
    ::unlink(path.c_str());
    FaultyFileOps ops;
    auto writer = open_log(ops, path, creating());
    Position const end = writer.append(Batch({h})).value();
    ops.reset();
    ops.only = call;
    ops.fault = {0, EIO, false, false};
    auto const failed = writer.append(Batch({a}, end, true));
    CHECK(failed.error().code == Errc::poisoned);
    CHECK(failed.error().system == EIO);
    std::int64_t const syncs = ops.calls(Call::sync_data);
    CHECK(writer.append(Batch({a}, end, true)).error().code == Errc::poisoned);
    CHECK(writer.append(Batch({}, end, true)).error().code == Errc::poisoned);
    CHECK(writer.append(Batch({b}, end)).error().code == Errc::poisoned);
    CHECK(ops.calls(Call::sync_data) == syncs); // never retried
    CHECK(writer.durable_position() == Position{});
    CHECK(open_log(ops, path, creating()).append(Batch({a}, end, true)).ok()); // a new writer is needed
  }
}

TEST_CASE("a write cut short at every byte reports what is stored, and repeating it completes it") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::size_t const total = a.size() + b.size() + 2;
  for (std::size_t cut = 0; cut < total; ++cut) {
    ::unlink(path.c_str());
    FaultyFileOps ops;
    auto writer = open_log(ops, path, creating());
    Position const end = writer.append(Batch({h})).value();
    ops.reset();
    ops.fault = {0, EIO, true, true};
    ops.only = Call::write;
    ops.cut = [&](std::size_t) { return cut; };
    auto const result = writer.append(Batch({a, b}, end));
    REQUIRE_FALSE(result.ok());
    bool const some = stored_lines(path).size() > 1;
    CAPTURE(cut);
    REQUIRE(result.error().code == (some ? Errc::outcome_unknown : Errc::no_space));
    ops.reset();
    REQUIRE(writer.append(Batch({a, b}, end)).ok());
    REQUIRE(stored_lines(path) == std::vector<std::string>{h, a, b});
  }
}

TEST_CASE("a write the system refuses says why and leaves nothing") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  FaultyFileOps ops;
  auto writer = open_log(ops, path, creating());
  Position const end = writer.append(Batch({h})).value();
  struct Row {
    int system;
    Errc code;
  };
  for (Row const& row :
       {Row{ENOSPC, Errc::no_space}, Row{EDQUOT, Errc::no_space}, Row{EFBIG, Errc::no_space},
        Row{EIO, Errc::not_written}, Row{EROFS, Errc::not_written}, Row{EINTR, Errc::not_written}}) {
    ops.reset();
    ops.only = Call::write;
    ops.fault = {0, row.system, true, false};
    auto const result = writer.append(Batch({a}, end));
    CAPTURE(row.system);
    CHECK(result.error().code == row.code);
    CHECK(result.error().system == row.system);
    CHECK_THAT(result.error().message, contains(path));
    CHECK_THAT(result.error().message, contains("offset " + std::to_string(end.value())));
    CHECK(stored_lines(path) == std::vector<std::string>{h});
  }
  ops.reset();
  ops.only = Call::write;
  ops.fault = {0, EINTR, false, false};
  CHECK(writer.append(Batch({a}, end)).ok()); // interrupted once: nobody need know
}

TEST_CASE("a session that could not be started leaves no empty file, unless the file existed") {
  for (bool const was_there : {false, true}) {
    for (int const error : {ENOSPC, EIO, 0}) { // 0: a short write of nothing
      TempDir dir;
      std::string const path = dir / "t.jsonl";
      if (was_there) write_file(path, "");
      FaultyFileOps ops;
      auto writer = open_log(ops, path, creating());
      ops.reset();
      ops.only = Call::write;
      ops.fault = {0, error, true, error == 0};
      ops.cut = [](std::size_t) { return std::size_t{0}; };
      CAPTURE(was_there, error);
      CHECK(writer.append(Batch({h, a})).error().code == (error == EIO ? Errc::not_written : Errc::no_space));
      CHECK((::access(path.c_str(), F_OK) == 0) == was_there);
      ops.reset();
      REQUIRE(writer.append(Batch({h, a})).ok());
      CHECK(stored_lines(path) == std::vector<std::string>{h, a});
      ops.only = Call::write;
      ops.fault = {0, ENOSPC, true, false};
      CHECK_FALSE(writer.append(Batch({b}, Position{h.size() + a.size() + 2})).ok());
      CHECK(stored_lines(path) == std::vector<std::string>{h, a}); // a file with entries is never removed
    }
  }
}

TEST_CASE("each system call fails at each position, once and always: nothing is lost, doubled or falsely "
          "acknowledged") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  Tally tally;
  int runs = 0;
  struct Kind {
    int error;
    bool sticky, short_write;
  };
  for (Kind const kind : {Kind{EIO, false, false}, Kind{EIO, true, false}, Kind{ENOSPC, false, false},
                          Kind{ENOSPC, true, false}, Kind{EINTR, false, false}, Kind{EINTR, true, false},
                          Kind{EACCES, false, false}, Kind{EMFILE, true, false}, Kind{EIO, false, true},
                          Kind{EIO, true, true}}) {
    for (std::int64_t at = 0;; ++at, ++runs) {
      ::unlink(path.c_str());
      FaultyFileOps ops;
      ops.fault = {at, kind.error, kind.sticky, kind.short_write};
      if (!run_with_fault(ops, path, tally)) break; // it ended before call `at`
    }
  }
  CAPTURE(runs);
  CHECK(runs > 200);
  CHECK(tally.lost == 0);
  CHECK(tally.doubled == 0);
  CHECK(tally.false_success == 0);
  CHECK(tally.false_failure == 0);
  CHECK(tally.stuck == 0);
}
