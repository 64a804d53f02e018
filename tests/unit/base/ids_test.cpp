// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/ids.hpp>

#include <cstdint>
#include <set>
#include <string>

using namespace sessionkit;
using sessionkit_test::contains;

namespace {

bool all_of(std::string const& text, std::string const& allowed) {
  return text.find_first_not_of(allowed) == std::string::npos;
}
std::string const hex = "0123456789abcdef";

}

TEST_CASE("a session id is safe as a file name and part of a key") {
  for (std::string const good :
       {"a", "0", "ses-1730620801807", "A.b_c-d", "01890a5d-ac96-774b-bcce-b302099a8057"})
    CHECK(SessionId::parse(good).value().str() == good);
  CHECK(SessionId::parse(std::string(128, 'x')));
  for (std::string const bad :
       {"", ".", "..", ".hidden", "-rf", "_x", "a/b", "a b", "a\nb", "caf\xC3\xA9", "a:b", "a*"}) {
    CAPTURE(bad);
    CHECK_FALSE(SessionId::parse(bad));
  }
  CHECK_FALSE(SessionId::parse(std::string(129, 'x')));
  CHECK_FALSE(SessionId::parse(std::string("a\0b", 3)));
}

TEST_CASE("the message for a refused session id is safe to print") {
  auto const refused = SessionId::parse("../etc\x1B[2J");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::invalid_argument);
  CHECK_THAT(refused.error().message, contains("\"../etc?[2J\""));
  CHECK_THAT(refused.error().message, contains("use 1 to 128 of"));
  CHECK(SessionId::parse(std::string(100'000, '/')).error().message.size() < 250);
}

TEST_CASE("a fresh session id is a UUID of version 7 that begins with the time") {
  // The example of RFC 9562 appendix A.6: 2022-02-22T19:22:22Z is 017F22E2-79B0-7...
  std::string const id = make_session_id(from_unix_ms(1645557742000)).str();
  CAPTURE(id);
  REQUIRE(id.size() == 36);
  CHECK(id.substr(0, 15) == "017f22e2-79b0-7");
  CHECK(std::string(1, id[18]) == "-");
  CHECK(all_of(id.substr(19, 1), "89ab"));
  CHECK(id[23] == '-');
  CHECK(all_of(id, hex + "-"));
  CHECK(make_session_id(from_unix_ms(-1)).str().substr(0, 13) == "00000000-0000");
}

TEST_CASE("session ids of later milliseconds sort later") {
  CHECK(make_session_id(from_unix_ms(1'000'000)) < make_session_id(from_unix_ms(1'000'001)));
  CHECK(make_session_id(from_unix_ms(0xFFFF)) < make_session_id(from_unix_ms(0x10000)));
}

TEST_CASE("all 74 random bits of a session id vary, and ids of one millisecond differ") {
  std::set<std::string> ids;
  std::uint64_t high_or = 0, high_and = ~std::uint64_t{0}, low_or = 0, low_and = ~std::uint64_t{0};
  for (int i = 0; i < 1000; ++i) {
    std::string const id = make_session_id(from_unix_ms(1)).str();
    ids.insert(id);
    std::uint64_t const high = std::stoull(id.substr(15, 3), nullptr, 16);
    std::uint64_t const low = std::stoull(id.substr(19, 4) + id.substr(24), nullptr, 16);
    high_or |= high, high_and &= high, low_or |= low, low_and &= low;
  }
  CHECK(ids.size() == 1000);
  CHECK((high_or & ~high_and) == 0xFFF); // each bit was seen as 0 and as 1
  CHECK((low_or & ~low_and) == 0x3FFF'FFFF'FFFF'FFFF);
}

TEST_CASE("entry ids are 16 hex digits and do not repeat") {
  std::set<std::string> ids;
  for (int i = 0; i < 10'000; ++i) {
    std::string const id = random_entry_id();
    REQUIRE(id.size() == 16);
    REQUIRE(all_of(id, hex));
    ids.insert(id);
  }
  CHECK(ids.size() == 10'000);
}

TEST_CASE("positions are ordered, and the default is the first") {
  CHECK(Position() == Position(0));
  CHECK(Position() < Position(1));
  CHECK(Position(2) >= Position(2));
  CHECK(EntryId().empty());
  CHECK(EntryId("any text \xE4\xBC\x9A/..").str() == "any text \xE4\xBC\x9A/..");
}
