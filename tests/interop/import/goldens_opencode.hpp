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

// The program sends a space in the place of an empty text that follows signed reasoning.
inline void drop_blank_texts(json& request) {
  json kept = json::array();
  for (json& message : request) {
    auto& content = message["content"].get_ref<json::array_t&>();
    content.erase(std::remove_if(content.begin(), content.end(),
                                 [](json const& block) {
                                   return block["type"] == "text" && is_blank(block["text"]);
                                 }),
                  content.end());
    if (!content.empty()) kept.push_back(message);
  }
  request = kept;
}

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

inline Compared compare_opencode(Golden const& golden, sk::Importer const& importer, bool forgive_blanks) {
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
  if (forgive_blanks) {
    drop_blank_texts(both.ours);
    drop_blank_texts(both.theirs);
  }
  return both;
}

// The number of requests that are equal; each that is not fails the test.
inline std::size_t compare_all_opencode(std::string const& version, sk::Importer const& importer) {
  std::size_t equal = 0;
  for (Golden const& golden : goldens(version)) {
    auto const both = compare_opencode(golden, importer, true);
    equal += both.equal() ? 1U : 0U;
    std::cout << golden.program << '\t' << golden.scenario << '\t' << golden.kind << '\t'
              << (both.equal() ? "equal" : "DIFFERS") << '\n';
    INFO(golden.program << ' ' << golden.scenario << ' ' << golden.kind << ' ' << difference(both));
    CHECK(both.equal());
  }
  return equal;
}

}
