// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/logs.hpp"

#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/store/last_record.hpp>
#include <sessionkit/file_store.hpp>

#include <fstream>

using namespace sessionkit_test;
using sk::detail::is_last_record;

namespace {

sk::RecordPage::Item record(std::string_view line, std::uint64_t end) {
  sk::RecordPage::Item made;
  made.line = line;
  made.end = sk::Position{end};
  return made;
}

}

TEST_CASE("a record is the one remembered where it ended, or one byte later, with the same bytes") {
  sk::detail::LastRecord const last{sk::Position{9}, sk::detail::crc32c("{\"a\":1}")};
  CHECK(is_last_record(record("{\"a\":1}", 9), last));
  CHECK(is_last_record(record("{\"a\":1}", 10), last)); // its line got its end
  CHECK_FALSE(is_last_record(record("{\"a\":1}", 8), last));
  CHECK_FALSE(is_last_record(record("{\"a\":1}", 11), last));
  CHECK_FALSE(is_last_record(record("{\"a\":2}", 9), last));
}

TEST_CASE("a log without records up to there does not hold the record, and an error is passed on") {
  auto const nothing = [](sk::ReadRange const&) { return sk::Result<sk::RecordPage>(sk::RecordPage{}); };
  CHECK_FALSE(sk::detail::still_holds({sk::Position{9}, 1}, nothing).value());
  auto const failing = [](sk::ReadRange const&) -> sk::Result<sk::RecordPage> {
    return sk::Error{sk::Errc::io_error, 0, "no"};
  };
  CHECK(sk::detail::still_holds({sk::Position{9}, 1}, failing).error().code == sk::Errc::io_error);
}

TEST_CASE("an append after a line that has since got its newline is no conflict") {
  TempDir dir;
  std::string const path = dir / "s.jsonl", a = message_line("a", "", "user", "hello"),
                    b = message_line("b", "a", "user", "more");
  write_file(path, log_header("s") + "\n" + a);
  auto const id = sk::SessionId::parse("s").value();
  auto const known = sk::open_file_store(dir.path()).value()->info(id).value();
  std::ofstream(path, std::ios::app | std::ios::binary) << "\n";
  sk::RecordView next;
  next.id = "b";
  next.line = b;
  sk::Append batch;
  batch.records.push_back(next);
  batch.expected = known.end;
  batch.expected_crc = known.end_crc;
  CHECK(sk::open_file_store(dir.path()).value()->append(id, batch).ok());
  CHECK(read_file(path) == log_header("s") + "\n" + a + "\n" + b + "\n");
}
