// SPDX-License-Identifier: MIT
// Faults that the conformance kit found in our own stores.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>

#include <algorithm>
#include <filesystem>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;
using sk::SessionId;

namespace {

SessionId const session = SessionId::parse("s1").value();

std::size_t files_in(std::string const& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

}

TEST_CASE("repeating a start that is longer than a page of reading does not write it again") {
  TempDir dir;
  auto store = sk::open_file_store(dir.path()).value();
  for (bool const long_line : {true, false}) {
    SessionId const id = SessionId::parse(long_line ? "line" : "lines").value();
    std::vector<std::string> lines{header_line(id.str())};
    if (long_line) lines.push_back(message_line("m", "", std::string(std::size_t{2} << 20, 'x')));
    for (int i = 0; i < 300; ++i) lines.push_back(message_line("m" + std::to_string(i), "", "text"));
    Position const end = store->append(id, Batch(lines)).value();
    CHECK(store->append(id, Batch(lines)).value() == end);
    CHECK(read_all([&](sk::ReadRange const& r) { return store->read(id, r); }).lines == lines);
  }
}

TEST_CASE("a transcript that cannot be inspected is not removed as if it were missing") {
  TempDir dir;
  FaultyFileOps ops;
  auto store = sk::detail::open_file_store(ops, dir.path(), {}).value();
  store->append(session, Batch({header_line("s1")})).value();
  std::size_t failed = 0;
  for (std::int64_t n = 0;; ++n) {
    ops.reset();
    ops.only = Call::status_at;
    ops.fault.at = n;
    auto const removed = store->remove(session);
    if (removed) break;
    ++failed;
    CHECK(removed.error().code == Errc::io_error);
  }
  CHECK(failed > 0);
}

TEST_CASE(
    "a folder of claw0's that cannot be listed hides no session, and starting one makes no second file") {
  TempDir dir;
  FaultyFileOps ops;
  sk::FileStoreOptions options;
  options.profile = sk::profiles::claw0;
  std::string const header =
      R"({"type":"session","id":"s1","key":"main:cli:user","created":"2025-11-04T08:00:00.000Z"})";
  { sk::open_file_store(dir.path(), options).value()->append(session, Batch({header})).value(); }
  std::size_t const files = files_in(dir / "transcripts");
  std::filesystem::remove(dir / "sessions.json"); // else it knows the file's name
  std::filesystem::remove(dir / "sessions.journal");
  for (Call const call : {Call::list, Call::open, Call::pread}) {
    CAPTURE(name_of(call));
    for (bool const sticky : {false, true}) {
      auto store = sk::detail::open_file_store(ops, dir.path(), options).value();
      ops.reset();
      ops.only = call;
      ops.fault.at = 0;
      ops.fault.sticky = sticky;
      auto const read = store->read(session, {});
      ops.reset();
      if (!read) CHECK(read.error().code == Errc::io_error);
      ops.only = call;
      ops.fault.at = 0;
      ops.fault.sticky = sticky;
      auto fresh = sk::detail::open_file_store(ops, dir.path(), options);
      if (fresh) {
        auto const again = (*fresh)->append(session, Batch({header}));
        if (!again) CHECK(again.error().code != Errc::not_found);
      }
      ops.reset();
      CHECK(files_in(dir / "transcripts") == files);
    }
  }
}

TEST_CASE("the memory store takes one object a line, and refuses to sync a session that does not exist") {
  auto store = sk::make_memory_store();
  CHECK(store->append(session, Batch({})).error().code == Errc::not_found);
  Position const end = store->append(session, Batch({header_line("s1")})).value();
  CHECK(store->append(session, Batch({"text"}, end)).error().code == Errc::invalid_argument);
  CHECK(store->append(session, Batch({"{}\n{}"}, end)).error().code == Errc::invalid_argument);
}
