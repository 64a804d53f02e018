// SPDX-License-Identifier: MIT
#pragma once
// Compares the history of an imported session of opencode with the request that the program sent, for files
// and for databases.
#include "goldens.hpp"

#include <cctype>
#include <iostream>

namespace import_goldens {

inline bool is_blank(std::string const& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; });
}

// After a kill before the first word, the program sends signed reasoning and a space.
inline void drop_wordless_answers(json& request) {
  auto const says_nothing = [](json const& block) {
    return block["type"] == "thinking" || (block["type"] == "text" && is_blank(block["text"]));
  };
  json kept = json::array();
  for (json& message : request) {
    json const& content = message["content"];
    if (message["role"] == "assistant" && std::all_of(content.begin(), content.end(), says_nothing)) continue;
    if (kept.empty() || kept.back()["role"] != message["role"])
      kept.push_back(message);
    else
      for (json const& block : content) kept.back()["content"].push_back(block);
  }
  request = kept;
}

inline std::vector<Forgiven> const opencode_forgiven{
    {"answers without a word", "the API refuses a text that is only space; `valid` leaves such answers out",
     drop_wordless_answers},
};

// The provider's spelling, in which the same request has one form.
inline json plain_opencode(json request) {
  for (json& message : request) {
    if (message["content"].is_string())
      message["content"] = json::array({{{"type", "text"}, {"text", message["content"]}}});
    for (json& block : message["content"]) {
      block.erase("cache_control");
      if (block["type"] != "tool_result") continue;
      if (block["content"].is_string())
        block["content"] = json::array({{{"type", "text"}, {"text", block["content"]}}});
      block["is_error"] = block.value("is_error", false);
    }
  }
  return request;
}

inline Compared compare_opencode(Golden const& golden, sk::Importer const& importer,
                                 std::string_view except = {}) {
  json const stored = json::parse(std::ifstream(golden.folder / golden.kind));
  auto const log = imported(golden, stored["file"], importer, stored["session"]);
  json ours = request_of(importer, log, sk::Provider::anthropic);
  json theirs = stored["request"];
  if (golden.kind == "resume.json") {
    while (!ours.empty() && ours.back()["role"] == "assistant") ours.erase(ours.size() - 1);
  } else {
    auto& blocks = theirs.back()["content"]; // the new prompt
    blocks.erase(blocks.size() - 1);
    if (blocks.empty()) theirs.erase(theirs.size() - 1);
  }
  Compared both{plain_opencode(std::move(ours)), plain_opencode(std::move(theirs))};
  for (Forgiven const& one : opencode_forgiven)
    if (one.name != except) {
      one.apply(both.ours);
      one.apply(both.theirs);
    }
  return both;
}

// The number of requests that are equal; each that is not fails the test.
inline std::size_t compare_all_opencode(std::string const& version, sk::Importer const& importer) {
  std::size_t equal = 0;
  for (Golden const& golden : goldens(version)) {
    auto const both = compare_opencode(golden, importer);
    equal += both.equal() ? 1U : 0U;
    std::cout << golden.program << '\t' << golden.scenario << '\t' << golden.kind << '\t'
              << (both.equal() ? "equal" : "DIFFERS") << '\n';
    INFO(golden.program << ' ' << golden.scenario << ' ' << golden.kind << ' ' << difference(both));
    CHECK(both.equal());
  }
  return equal;
}

}
