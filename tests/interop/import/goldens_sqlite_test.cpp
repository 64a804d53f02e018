// SPDX-License-Identifier: MIT
// Databases of opencode 1.18.33 and of the OpenAI Agents SDK 0.22.0.
#include "goldens_opencode.hpp"

#include <sessionkit/sqlite/sqlite_import.hpp>

using namespace import_goldens;

TEST_CASE("an imported opencode database rebuilds as the request that the program sent") {
  std::size_t const all = goldens("opencode-1.18.33").size();
  REQUIRE(all == 10);
  std::size_t const equal = compare_all_opencode("opencode-1.18.33", sk::opencode_database_importer());
  std::cout << "opencode (database): " << equal << " of " << all << " requests equal\n";
}

TEST_CASE("each difference that the comparison with opencode forgives is needed by a request") {
  for (Forgiven const& one : opencode_forgiven) {
    INFO(one.name << ": " << one.reason);
    bool needed = false;
    for (Golden const& golden : goldens("opencode-1.18.33"))
      needed = needed || !compare_opencode(golden, sk::opencode_database_importer(), one.name).equal();
    CHECK(needed);
  }
}

namespace {

// The spelling of the Responses API, in which the same request has one form.
json plain_items(json request) {
  json joined = json::array();
  for (json& item : request) {
    std::string const type = item.value("type", "message");
    item["type"] = type;
    for (char const* name : {"id", "status"}) // the program's own; the API does not read them
      if (type != "reasoning") item.erase(name);
    if (type == "function_call") item["arguments"] = json::parse(item["arguments"].get<std::string>());
    if (type == "message") {
      if (item["content"].is_string())
        item["content"] = json::array({{{"type", item["role"] == "assistant" ? "output_text" : "input_text"},
                                        {"text", item["content"]}}});
      for (json& piece : item["content"])
        for (char const* name : {"annotations", "logprobs", "detail"}) piece.erase(name);
      if (!joined.empty() && joined.back()["type"] == "message" && joined.back()["role"] == item["role"]) {
        for (json const& piece : item["content"]) joined.back()["content"].push_back(piece);
        continue;
      }
    }
    joined.push_back(item);
  }
  return joined;
}

}

TEST_CASE("an imported session of the OpenAI Agents SDK rebuilds as the request that its runner sent") {
  std::size_t equal = 0;
  auto const all = goldens("openai-agents");
  REQUIRE(all.size() == 6);
  sk::Importer const& importer = sk::openai_agents_importer();
  for (Golden const& golden : all) {
    json const stored = json::parse(std::ifstream(golden.folder / golden.kind));
    auto const log = imported(golden, stored["file"], importer, stored["session"]);
    json theirs = stored["request"];
    theirs.erase(theirs.size() - 1); // the new prompt
    Compared const both{plain_items(request_of(importer, log, sk::Provider::openai_responses)),
                        plain_items(std::move(theirs))};
    equal += both.equal() ? 1U : 0U;
    std::cout << golden.program << '\t' << golden.scenario << '\t' << golden.kind << '\t'
              << (both.equal() ? "equal" : "DIFFERS") << '\n';
    INFO(golden.scenario << ' ' << golden.kind << ' ' << difference(both));
    CHECK(both.equal());
  }
  std::cout << "OpenAI Agents SDK: " << equal << " of " << all.size() << " requests equal\n";
}
