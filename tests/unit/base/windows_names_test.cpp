// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/detail/base/windows_names.hpp>

#include <string>
#include <string_view>

using namespace sessionkit::detail;

namespace {

std::u16string wide(std::string_view name) {
  std::u16string out;
  REQUIRE(append_utf16(name, out));
  return out;
}

}

TEST_CASE("each code point and each lone surrogate of a Windows name comes back from UTF-8") {
  for (unsigned code = 1; code <= 0x10FFFF; code += code < 0x11000 ? 1 : 0x101) {
    std::u16string name; // as RFC 2781 says
    if (code >= 0x10000) name += static_cast<char16_t>(0xD800 + ((code - 0x10000) >> 10));
    name += static_cast<char16_t>(code >= 0x10000 ? 0xDC00 + ((code - 0x10000) & 0x3FF) : code);
    std::string text;
    append_utf8(std::u16string_view(name), text);
    if (wide(text) != name) FAIL(code);
  }
  std::string text;
  append_utf8(std::u16string_view(u"\u00E4\u4F60\U0001F600"), text);
  CHECK(text == "\xC3\xA4\xE4\xBD\xA0\xF0\x9F\x98\x80");
  CHECK(wide("a\xED\xA0\x80z") == std::u16string{u'a', static_cast<char16_t>(0xD800), u'z'});
}

TEST_CASE("bytes that are neither UTF-8 nor a lone surrogate are no Windows name") {
  for (char const* const name :
       {"\x80", "\xC0\x80", "\xE4\xBD", "\xED\xA0", "\xF5\x80\x80\x80", "a\xFF", "\xED\xA0x"}) {
    std::u16string out;
    CHECK_FALSE(append_utf16(name, out));
  }
}

TEST_CASE("Windows names are no devices, streams or patterns, and are not shortened") {
  for (char const* const name : {"a", ".lock", "a.b.jsonl", "console", "com", "com12", "COM1x.txt", "lpt",
                                 "nu", "null", "a b", "\xC3\xA4", "CON1", "xCON", "com\xC2\xB4"}) {
    INFO(name);
    CHECK(is_windows_name(name));
  }
  for (char const* const name : {"",       ".",       "..",      "a.",          "a..",
                                 "a ",     "con",     "CON.txt", "nul.tar.gz",  "Prn",
                                 "AUX .x", "com1",    "LPT0",    "com\xC2\xB9", "lpt\xC2\xB3.x",
                                 "conin$", "CONOUT$", "a:b",     "a/b",         "a\\b",
                                 "a?",     "a*",      "<",       ">",           "a|b",
                                 "\"",     "a\nb",    "\x1F"}) {
    INFO(name);
    CHECK_FALSE(is_windows_name(name));
  }
}

TEST_CASE("each part of a path is such a name, or leads up") {
  CHECK(has_windows_names("a/b/../c/./d", "/"));
  CHECK(has_windows_names("/a//b/", "/"));
  CHECK_FALSE(has_windows_names("a/nul/b", "/"));
  CHECK_FALSE(has_windows_names("a\\b", "/"));
  CHECK(has_windows_names("a\\b", "\\"));
  CHECK_FALSE(has_windows_names("a/...", "/"));
}

TEST_CASE("names that differ in capital and small letters only are one name on Windows") {
  auto const differ = [](std::string_view a, std::string_view b) { return differ_in_case_only(a, b); };
  CHECK(differ("talk", "Talk"));
  CHECK(differ("A.JSONL", "a.jsonl"));
  for (char const* const other : {"talk", "tal", "talks", "t@lk", "\x54\x41\x4C\x5B", ""})
    CHECK_FALSE(differ("talk", other));
  CHECK_FALSE(differ("a[b", "a{b"));
  CHECK_FALSE(differ("\xC3\x84", "\xC3\xA4")); // ids have no other letters
}
