// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/store/append_decision.hpp>

#include <string>

namespace sk = sessionkit;
using sk::detail::AppendDecision;

namespace {

std::string const path = "t.jsonl";

sk::RecordPage::Item record(std::string_view id, std::string_view line, std::uint64_t end) {
  sk::RecordPage::Item made;
  made.id = id;
  made.line = line;
  made.end = sk::Position{end};
  return made;
}
sk::Append batch_after(std::uint64_t expected) {
  sk::Append batch;
  batch.records = {record("b", "{\"id\":\"b\"}", 0), record("c", "{\"id\":\"c\"}", 0)};
  batch.expected = sk::Position{expected};
  return batch;
}

}

TEST_CASE("if the log ends as expected, the decision reads nothing and all is written") {
  sk::Append batch = batch_after(8);
  batch.expected_crc = 7;
  AppendDecision const decision(path, batch, sk::Position{8}, 7);
  CHECK_FALSE(decision.wants_line());
  CHECK_FALSE(decision.wants_behind());
  CHECK(decision.plan().value().from == 0);
  AppendDecision const other(path, batch, sk::Position{8}, 6);
  CHECK(other.plan().error().code == sk::Errc::conflict);
}

TEST_CASE("if the last line of a file is unknown, it is read and compared") {
  sk::Append const batch = batch_after(8);
  AppendDecision decision(path, batch, sk::Position{8}, std::nullopt);
  CHECK(decision.wants_line());
  decision.line_at_expected(true);
  CHECK_FALSE(decision.wants_behind());
  CHECK(decision.plan().ok());
  decision.line_at_expected(false);
  CHECK(decision.plan().error().code == sk::Errc::conflict);
}

TEST_CASE("if the beginning of a batch is in the log, only the rest is written") {
  sk::Append const batch = batch_after(8);
  AppendDecision decision(path, batch, sk::Position{19}, std::nullopt);
  REQUIRE(decision.wants_line());
  decision.line_at_expected(true);
  REQUIRE(decision.wants_behind());
  CHECK(decision.see(record("b", "{\"id\":\"b\"}", 19)));
  CHECK(decision.plan().value().from == 1);
  CHECK(decision.see(record("c", "{\"id\":\"c\"}", 30)));
  CHECK(decision.plan().value().from == 2);
  CHECK(decision.plan().value().end == sk::Position{30});
}

TEST_CASE(
    "records of others after the expected end are a conflict, and a session that exists is not started") {
  sk::Append const batch = batch_after(8);
  AppendDecision decision(path, batch, sk::Position{19}, std::nullopt);
  decision.line_at_expected(true);
  decision.see(record("x", "{\"id\":\"x\"}", 19));
  CHECK(decision.plan().error().code == sk::Errc::conflict);
  CHECK(decision.plan().error().message.rfind("t.jsonl: ", 0) == 0);
  sk::Append const start = batch_after(0);
  sk::SessionId const id = sk::SessionId::parse("s").value();
  AppendDecision first(id, start, sk::detail::LastRecord{sk::Position{1}, 7});
  REQUIRE(first.wants_behind());
  first.see(record("x", "{\"id\":\"x\"}", 1));
  CHECK(first.plan().error().code == sk::Errc::already_exists);
  CHECK(AppendDecision(id, start, std::nullopt).plan().value().from == 0);
}
