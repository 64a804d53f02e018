// SPDX-License-Identifier: MIT
// Checks whether OpenAI's Responses API accepts this `input`. Written from the rule list at the top of
// tests/oracle/check_responses.py (--strict).
#pragma once
#include "support/provider_checks.hpp"

namespace sessionkit_test { namespace responses {

struct Seen {
  std::set<std::string> calls, reasoning;
  std::set<std::string> pending; ///< calls of the answer that is open
  bool answering = false;        ///< some of them have their output
  bool reasoned = false;         ///< the item before was reasoning
  std::string side;              ///< whose message the item before was
};

inline void check_parts(Json const& parts, bool assistant, std::string const& at, Faults& faults) {
  if (!parts.is_array() || parts.empty()) return faults.push_back(at + "EMPTY or no parts");
  for (Json const& part : parts) {
    std::string const type = string_at(part, "type");
    if (type == (assistant ? "output_text" : "input_text")) {
      if (is_white(string_at(part, "text"))) faults.push_back(at + "EMPTY text");
    } else if (type == "input_image" && !assistant) {
      std::string const url = string_at(part, "image_url");
      if (url.substr(0, 4) != "http" && url.substr(0, 11) != "data:image/") faults.push_back(at + "IMAGE");
    } else {
      faults.push_back(at + "CONTENT part " + type);
    }
  }
}

inline void check_reasoning(Json const& item, std::string const& at, Seen& seen, Faults& faults) {
  std::string const id = string_at(item, "id");
  if (id.substr(0, 2) != "rs" || !all_in(id, 64)) faults.push_back(at + "ITEMID " + id);
  if (!seen.reasoning.insert(id).second) faults.push_back(at + "DUPITEM " + id);
  if (string_at(item, "encrypted_content").empty() || !item.value("summary", Json()).is_array())
    faults.push_back(at + "REASONING");
  for (Json const& part : item.value("summary", Json::array()))
    if (string_at(part, "type") != "summary_text" || !part.contains("text"))
      faults.push_back(at + "REASONING");
}

inline void check_call(Json const& item, std::string const& at, Seen& seen, Faults& faults) {
  std::string const id = string_at(item, "call_id");
  if (!all_in(id, 64)) faults.push_back(at + "CALLID " + id);
  if (!all_in(string_at(item, "name"), 64)) faults.push_back(at + "NAME");
  if (!Json::parse(string_at(item, "arguments"), nullptr, false).is_object()) faults.push_back(at + "ARGS");
  if (!seen.calls.insert(id).second) faults.push_back(at + "DUPCALL " + id);
  seen.pending.insert(id);
}

inline void check_output(Json const& item, std::string const& at, Seen& seen, Faults& faults) {
  if (seen.pending.erase(string_at(item, "call_id")) == 0) faults.push_back(at + "ORPHAN or DUPRES");
  seen.answering = !seen.pending.empty();
  Json const& output = item.value("output", Json());
  if (output.is_string() ? is_white(output) : false) faults.push_back(at + "EMPTY output");
  if (!output.is_string()) check_parts(output, false, at, faults);
}

inline void check_item(Json const& item, std::string const& at, Seen& seen, Faults& faults) {
  std::string const type = string_at(item, "type"), role = string_at(item, "role");
  bool const user = type == "message" && role == "user";
  bool const output = type == "function_call_output";
  if (seen.reasoned && (user || output || type == "reasoning")) faults.push_back(at + "FOLLOWED before this");
  if (!output && !seen.pending.empty() && (user || seen.answering)) faults.push_back(at + "GROUP");
  std::string side;
  if (type == "message") {
    if (!user && role != "assistant") faults.push_back(at + "ROLE " + role);
    side = role + string_at(item, "phase");
    if (side == seen.side) faults.push_back(at + "ALT");
    check_parts(item.value("content", Json()), !user, at, faults);
  } else if (type == "function_call") {
    check_call(item, at, seen, faults);
  } else if (output) {
    check_output(item, at, seen, faults);
  } else if (type == "reasoning") {
    check_reasoning(item, at, seen, faults);
  } else {
    faults.push_back(at + "SHAPE " + type);
  }
  seen.side = side;
  seen.reasoned = type == "reasoning";
}

inline Faults check(Json const& input) {
  Faults faults;
  if (!input.is_array() || input.empty()) return {"SHAPE no items"};
  Seen seen;
  for (std::size_t i = 0; i < input.size(); ++i)
    check_item(input[i], "[" + std::to_string(i) + "] ", seen, faults);
  if (!seen.pending.empty()) faults.push_back("UNANSWERED at the end");
  if (seen.reasoned) faults.push_back("FOLLOWED by nothing");
  return faults;
}

}}
