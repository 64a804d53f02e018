// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/dialect.hpp>

#include <deque>
#include <string>
#include <vector>

using namespace sessionkit_test;

namespace {

sk::Message made_of(sk::Role role, sk::Part part) {
  sk::Message message;
  message.role = role;
  message.parts.push_back(std::move(part));
  return message;
}

std::vector<sk::EntryBody> bodies() {
  sk::ToolUse const call{"c", "t", {}};
  sk::CustomMessage shown, hidden;
  shown.type = hidden.type = "note";
  hidden.in_context = false;
  sk::ModelChange model, level;
  model.provider = "p", model.model = "m";
  level.thinking_level = "high";
  sk::StateChange state;
  state.removed.push_back("k");
  return {sk::Header{"s"},
          sk::user("hello"),
          sk::assistant("hello"),
          sk::assistant(call),
          sk::Message{},
          made_of(sk::Role::system, sk::Text{"rules"}),
          made_of(sk::Role::tool, sk::ToolResult{"c", "t"}),
          sk::Compaction{"summary"},
          sk::BranchSummary{},
          sk::TitleChange{"title"},
          state,
          sk::ArchiveChange{true},
          sk::Label{sk::EntryId("e"), "label"},
          model,
          level,
          shown,
          hidden,
          sk::Custom{"note"},
          sk::Unknown{"alien", sk::RawJson::parse(R"({"type":"alien"})").value()}};
}

}

TEST_CASE("a dialect knows the type of a line before it is written") {
  std::size_t known = 0;
  for (auto const* dialect : {&sk::native_dialect(), &sk::flat_dialect(), &sk::panel_dialect()}) {
    REQUIRE(dialect->type_of != nullptr);
    for (sk::EntryBody const& body : bodies()) {
      sk::Entry entry;
      entry.id = sk::EntryId("e1");
      entry.body = body;
      std::string line;
      if (!dialect->encode(entry, line)) continue;
      CAPTURE(dialect->name, line);
      sk::RecordView head;
      std::deque<std::string> scratch;
      REQUIRE(dialect->head(line, head, scratch));
      bool const reported_by_line = entry.as<sk::Unknown>() != nullptr;
      CHECK(dialect->type_of(entry) == (reported_by_line ? std::string_view() : head.type));
      ++known;
    }
  }
  CHECK(known > 30); // most bodies in native, the common ones in the others
}
