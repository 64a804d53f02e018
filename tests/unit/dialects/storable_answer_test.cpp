// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/detail/dialects/storable_answer.hpp>

namespace sk = sessionkit;
using sk::detail::make_storable;
using Names = std::vector<std::string>;

namespace {

sk::Message answer_of(std::vector<sk::Part> parts, std::string const& api = "") {
  sk::Message answer;
  answer.role = sk::Role::assistant;
  answer.parts = std::move(parts);
  if (!api.empty()) answer.generation.emplace().api = api;
  return answer;
}

sk::Part const thought = sk::Thinking{"hm"}, signed_thought = sk::Thinking{"hm", "c2ln"},
               hidden = sk::Thinking{"", "ZGF0YQ==", true},
               image = sk::Image{"image/png", sk::Base64{"aGk="}},
               block =
                   sk::Opaque{"server_tool_use", sk::RawJson::from(R"({"type":"server_tool_use","id":"s"})")},
               text = sk::Text{"sunny"}, signed_text = sk::Text{"sunny", "c2ln"},
               call = sk::ToolUse{"t", "look", {}}, signed_call = sk::ToolUse{"t", "look", {}, "c2ln"};

}

TEST_CASE("an answer keeps every part and signature in the native dialect") {
  std::vector<sk::Part> const all{thought, signed_thought, hidden, image, block, signed_text, signed_call};
  sk::Message answer = answer_of(all);
  CHECK(make_storable(answer, sk::native_dialect()).empty());
  CHECK(answer.parts.size() == all.size());
}

TEST_CASE("an answer in claw0's lines keeps its texts and calls, and nothing else") {
  sk::Message answer = answer_of({thought, signed_thought, text, image, block, thought, signed_call});
  CHECK(make_storable(answer, sk::flat_dialect())
        == Names{"reasoning", "an image", "a block of type 'server_tool_use'"});
  REQUIRE(answer.parts.size() == 2);
  CHECK(answer.text() == "sunny");
  CHECK(std::get<sk::ToolUse>(answer.parts[1]).signature == "c2ln"); // a member that claw0 ignores
}

TEST_CASE("an answer in ai-panel's lines keeps what Anthropic's API takes back") {
  sk::Message answer = answer_of({thought, signed_thought, hidden, signed_text, image, block, signed_call},
                                 "anthropic-messages");
  CHECK(make_storable(answer, sk::panel_dialect()) == Names{"reasoning", "a signature", "an image"});
  REQUIRE(answer.parts.size() == 5);
  CHECK(std::get<sk::Thinking>(answer.parts[0]).signature == "c2ln");
  CHECK(std::get<sk::Thinking>(answer.parts[1]).redacted);
  CHECK(std::get<sk::Text>(answer.parts[2]).signature.empty());
  CHECK(std::get<sk::Opaque>(answer.parts[3]).type == "server_tool_use");
  CHECK(std::get<sk::ToolUse>(answer.parts[4]).signature.empty());

  sk::Message other = answer_of({block, text}, "openai-responses");
  CHECK(make_storable(other, sk::panel_dialect()) == Names{"a block of type 'server_tool_use'"});
  CHECK(other.parts.size() == 1);
}

TEST_CASE("what a dialect refuses for another reason is not left out of an answer silently") {
  sk::ToolUse odd{"t", "look", {}};
  odd.extra = sk::RawJson::from("[1]"); // members are an object
  sk::Message answer = answer_of({thought, odd});
  CHECK(make_storable(answer, sk::flat_dialect()) == Names{"reasoning"});
  REQUIRE(answer.parts.size() == 1);
  sk::Entry entry;
  entry.body = answer;
  std::string line;
  CHECK(sk::flat_dialect().encode(entry, line).error().code == sk::Errc::unsupported);
}
