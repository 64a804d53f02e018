// SPDX-License-Identifier: MIT
// Compares the history of an imported session of Gemini CLI with the request that the program sent.
#include "goldens.hpp"

#include <algorithm>
#include <iostream>
#include <set>

using namespace import_goldens;

namespace {

// Google's spelling. Calls `use` with each part of each content, and drops the parts for which it says so.
template <class Drop> void drop_parts(json& request, Drop const& drop) {
  json kept = json::array();
  for (json& content : request) {
    auto& parts = content["parts"].get_ref<json::array_t&>();
    parts.erase(std::remove_if(parts.begin(), parts.end(), drop), parts.end());
    if (!parts.empty()) kept.push_back(content);
  }
  request = kept;
}

void drop_context(json& request) {
  drop_parts(request, [](json const& part) {
    std::string const text = part.value("text", "");
    return text == "[instructions omitted]" || text.rfind("<session_context>", 0) == 0;
  });
}

void drop_repeated_results(json& request) {
  std::set<std::string> seen;
  drop_parts(request, [&](json const& part) {
    return part.contains("functionResponse") && part["functionResponse"].contains("id")
           && !seen.insert(part["functionResponse"]["id"]).second;
  });
}

void drop_call_ids(json& request) {
  for (json& content : request)
    for (json& part : content["parts"])
      for (char const* name : {"functionCall", "functionResponse"})
        if (part.contains(name)) part[name].erase("id");
}

void drop_validator(json& request) {
  for (json& content : request)
    for (json& part : content["parts"])
      if (part.value("thoughtSignature", "") == "skip_thought_signature_validator")
        part.erase("thoughtSignature");
}

void join_contents(json& request) {
  json joined = json::array();
  for (json& content : request) {
    if (joined.empty() || joined.back()["role"] != content["role"])
      joined.push_back(content);
    else
      for (json& part : content["parts"]) joined.back()["parts"].push_back(part);
  }
  request = joined;
}

std::vector<Forgiven> const gemini_forgiven{
    {"context of the session", "the program writes it again for each process; a host has its own",
     drop_context},
    {"repeated results", "0.61.0 stores and sends results twice; the API wants one for each call",
     drop_repeated_results},
    {"ids of calls", "the program's own; our requests to Gemini contain none", drop_call_ids},
    {"validator to skip", "which call has it depends on the model that is asked", drop_validator},
    {"contents in a row", "0.24.0 sends contents of one role in a row, which are one turn", join_contents},
};

json plain_gemini(json request, std::string_view except) {
  for (Forgiven const& one : gemini_forgiven)
    if (one.name != except) one.apply(request);
  return request;
}

Compared compare_gemini(Golden const& golden, std::string_view except = {}) {
  json const stored = json::parse(std::ifstream(golden.folder / golden.kind));
  auto const log = imported(golden, stored["file"], sk::gemini_cli_importer());
  json ours = request_of(sk::gemini_cli_importer(), log, sk::Provider::gemini);
  json theirs = stored["request"];
  if (golden.kind == "resume.json") {
    while (!ours.empty() && ours.back()["role"] == "model") ours.erase(ours.size() - 1);
  } else {
    auto& parts = theirs.back()["parts"]; // the new prompt
    parts.erase(parts.size() - 1);
    if (parts.empty()) theirs.erase(theirs.size() - 1);
    if (golden.scenario == "killtool") CHECK(ours.back()["role"] == "model"); // the text before the call
  }
  return {plain_gemini(std::move(ours), except), plain_gemini(std::move(theirs), except)};
}

}

TEST_CASE("an imported Gemini CLI session rebuilds as the request that the program sent") {
  std::size_t equal = 0;
  auto const all = goldens("gemini-cli");
  REQUIRE(all.size() == 15);
  for (Golden const& golden : all) {
    auto const both = compare_gemini(golden);
    equal += both.equal() ? 1U : 0U;
    std::cout << golden.program << '\t' << golden.scenario << '\t' << golden.kind << '\t'
              << (both.equal() ? "equal" : "DIFFERS") << '\n';
    INFO(golden.program << ' ' << golden.scenario << ' ' << golden.kind << ' ' << difference(both));
    CHECK(both.equal());
  }
  std::cout << "Gemini CLI: " << equal << " of " << all.size() << " requests equal\n";
}

TEST_CASE("each difference that the comparison with Gemini CLI forgives is needed by a request") {
  for (Forgiven const& one : gemini_forgiven) {
    INFO(one.name << ": " << one.reason);
    bool needed = false;
    for (Golden const& golden : goldens("gemini-cli"))
      needed = needed || !compare_gemini(golden, one.name).equal();
    CHECK(needed);
  }
}
