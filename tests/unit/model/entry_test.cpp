// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/entry.hpp>

namespace sk = sessionkit;

namespace {

std::string text_of(sk::EntryBody body) {
  sk::Entry entry;
  entry.body = std::move(body);
  return entry.text();
}

}

TEST_CASE("the text of an entry is that of its message, of its custom message, or its summary") {
  CHECK(text_of(sk::user("one ", sk::Image{"image/png", sk::Base64{"QQ=="}}, "two")) == "one two");
  CHECK(text_of(sk::assistant(sk::Thinking{"hidden"}, "said", sk::ToolUse{"t1", "read"})) == "said");
  sk::CustomMessage custom{"note"};
  custom.content = {sk::Text{"a"}, sk::Opaque{"audio", {}}, sk::Text{"b"}};
  CHECK(text_of(custom) == "ab");
  CHECK(text_of(sk::Compaction{"what was said"}) == "what was said");
  CHECK(text_of(sk::BranchSummary{"what was tried"}) == "what was tried");
}

TEST_CASE("entries that say nothing have no text, and neither have results of tools") {
  CHECK(text_of(sk::Message{}).empty());
  CHECK(text_of(sk::tool_result("t1", "read", "output")).empty());
  CHECK(text_of(sk::TitleChange{"a title"}).empty());
  CHECK(text_of(sk::Label{sk::EntryId("a"), "a label"}).empty());
  CHECK(text_of(sk::Custom{"data", sk::RawJson::string("x")}).empty());
  CHECK(text_of(sk::Header{"id"}).empty());
  CHECK(sk::Entry{}.text().empty());
}
