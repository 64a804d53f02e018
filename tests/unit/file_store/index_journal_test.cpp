// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/file_store.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/file_store/index_journal.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

using namespace sessionkit_test;
using Json = nlohmann::json;
using sk::Position;

TEST_CASE("a journal is read back as written, from the beginning or from any later line") {
  sk::detail::JournalHead head{{4711, 0xDEADBEEF}, "abc"};
  std::string text = sk::detail::journal_head_line(head);
  std::vector<std::size_t> begins{0};
  for (int i = 0; i < 5; ++i) {
    begins.push_back(text.size());
    sk::detail::IndexRow row{sk::make_session_info(id_of("s" + std::to_string(i)))};
    row.info.messages = static_cast<std::uint64_t>(i) + 1;
    row.info.end = Position{100};
    row.info.key = "key \"with\" quotes\n";
    row.extra = "\"theirs\":[1]";
    sk::detail::append_journal_line(row.info.id.str(), i == 3 ? nullptr : &row, text,
                                    i < 3 ? 0x1000U + static_cast<unsigned>(i) : 0U);
  }
  for (std::string const& line : split_lines(text)) CHECK(Json::parse(line.substr(9)).is_object());
  for (std::size_t i = 0; i < begins.size(); ++i) {
    auto const read = sk::detail::parse_journal(std::string_view(text).substr(begins[i]), i == 0);
    CHECK(read.bad == 0);
    CHECK(read.names_version == (i == 0 ? 0x1002U : 0U));
    CHECK(read.used == text.size() - begins[i]);
    REQUIRE(read.changes.size() == (i == 0 ? 5 : 6 - i));
    CHECK(read.changes.back().row.value().info.key == "key \"with\" quotes\n");
    CHECK(read.changes.back().row.value().info.messages == 5);
    CHECK(read.changes.back().row.value().extra == "\"theirs\":[1]");
    if (i == 0) CHECK(read.head.value().extends == head.extends);
    auto const removed = static_cast<std::ptrdiff_t>(i == 0 ? 3 : 4 - i);
    if (i <= 4) CHECK_FALSE(std::next(read.changes.begin(), removed)->row.has_value());
  }
}

TEST_CASE("a journal cut anywhere gives its complete lines, and a changed byte loses at most its line") {
  std::string text = sk::detail::journal_head_line({{1, 2}, "id"});
  std::vector<std::size_t> ends{text.size()};
  for (int i = 0; i < 4; ++i) {
    sk::detail::IndexRow const row{sk::make_session_info(id_of("s" + std::to_string(i)))};
    sk::detail::append_journal_line(row.info.id.str(), &row, text);
    ends.push_back(text.size());
  }
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    auto const read = sk::detail::parse_journal(std::string_view(text).substr(0, cut), true);
    auto const whole = std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin(); // the head is one
    CHECK(read.head.has_value() == (whole > 0));
    CHECK(static_cast<std::ptrdiff_t>(read.changes.size()) == std::max<std::ptrdiff_t>(whole - 1, 0));
    CHECK(read.bad == 0);
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (char const flip : {'\x01', '\x80', '\xFF'}) {
      std::string other = text;
      other[at] = static_cast<char>(other[at] ^ flip);
      auto const read = sk::detail::parse_journal(other, true);
      if (at < ends[0])
        CHECK_FALSE(read.head.has_value());
      else
        CHECK(read.changes.size() >= 2); // losing a newline loses two lines
      CHECK(read.changes.size() <= 4);
    }
  }
}
