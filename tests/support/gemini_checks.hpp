// SPDX-License-Identifier: MIT
// Checks whether Gemini's generateContent accepts these `contents`. Written from the rule list at the top of
// tests/oracle/check_gemini.py (mode strict).
#pragma once
#include "support/provider_checks.hpp"

namespace sessionkit_test { namespace gemini {

inline bool is_name(std::string name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9') || name[0] == '-' || name[0] == '.'
      || name[0] == ':')
    return false;
  for (char& c : name)
    if (c == '.' || c == ':') c = '_';
  return all_in(name, 64);
}

inline bool is_signature(std::string signature) {
  if (signature.size() % 4 != 0) return false;
  for (int i = 0; i < 2 && !signature.empty() && signature.back() == '='; ++i) signature.pop_back();
  for (char& c : signature)
    if (c == '+' || c == '/') c = '_';
  return all_in(signature, signature.size());
}

struct Model {
  bool old = false;    ///< of the first two generations
  bool images = true;  ///< may be sent to it
  bool prefill = true; ///< the last content may be the model's
};

inline void check_image(Json const& part, bool nested, Model model, std::string const& at, Faults& faults) {
  std::set<std::string> types{"image/png", "image/jpeg", "image/webp"};
  if (!nested) types.insert({"image/heic", "image/heif"});
  bool const inside = part.contains("inlineData");
  Json const& image = part.value(inside ? "inlineData" : "fileData", Json::object());
  bool const source = inside ? !string_at(image, "data").empty()
                             : !nested && string_at(image, "fileUri").substr(0, 8) == "https://";
  if (!model.images || !source || types.count(string_at(image, "mimeType")) == 0)
    faults.push_back(at + "IMAGE " + part.dump());
}

inline void check_response(Json const& response, Model model, std::string const& at, Faults& faults) {
  if (!response.value("response", Json()).is_object()) faults.push_back(at + "RESPONSE");
  if (!response.contains("parts")) return;
  if (model.old) faults.push_back(at + "RESPONSE with images");
  for (Json const& part : response["parts"]) check_image(part, true, model, at, faults);
}

inline void check_part(Json const& part, bool user, Model model, std::string const& at, Faults& faults) {
  bool const signed_part = part.contains("thoughtSignature"), thought = part.contains("thought");
  if (part.size() != std::size_t{1} + (signed_part ? 1 : 0) + (thought ? 1 : 0))
    faults.push_back(at + "PART " + part.dump());
  if (signed_part && (user || !is_signature(string_at(part, "thoughtSignature"))))
    faults.push_back(at + "SIGNATURE");
  if (thought && (user || !part.contains("text"))) faults.push_back(at + "THOUGHT");
  if (part.contains("text")) {
    if (is_white(string_at(part, "text")) && !signed_part) faults.push_back(at + "EMPTY");
  } else if (part.contains("functionCall") && !user) {
    if (!is_name(string_at(part["functionCall"], "name"))) faults.push_back(at + "NAME");
    if (!part["functionCall"].value("args", Json()).is_object()) faults.push_back(at + "ARGS");
  } else if (part.contains("functionResponse") && user) {
    check_response(part["functionResponse"], model, at, faults);
  } else if (user) {
    check_image(part, false, model, at, faults);
  } else {
    faults.push_back(at + "SIDE " + part.dump());
  }
}

/// Names of the calls or responses of a content, and whether the first of them is signed.
struct Functions {
  std::vector<std::string> names;
  bool first_signed = true;
};
inline Functions functions(Json const& content, char const* kind) {
  Functions found;
  for (Json const& part : content["parts"]) {
    if (!part.contains(kind)) continue;
    if (found.names.empty()) found.first_signed = part.contains("thoughtSignature");
    found.names.push_back(string_at(part[kind], "name"));
  }
  return found;
}

inline Faults check(Json const& contents, Model model) {
  Faults faults;
  if (!contents.is_array() || contents.empty()) return {"SHAPE no contents"};
  if (string_at(contents[0], "role") != "user") faults.push_back("FIRST");
  std::vector<std::string> open;
  std::string before;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    Json const& content = contents[i];
    std::string const at = "[" + std::to_string(i) + "] ", role = string_at(content, "role");
    if (content.size() != 2 || (role != "user" && role != "model")) return {at + "SHAPE"};
    if (!content["parts"].is_array() || content["parts"].empty()) return {at + "PARTS"};
    bool all_empty = true; // an empty text that carries a signature goes back, but not alone
    for (Json const& part : content["parts"]) {
      check_part(part, role == "user", model, at, faults);
      all_empty = all_empty && part.contains("text") && string_at(part, "text").empty();
    }
    if (all_empty) faults.push_back(at + "EMPTY content");
    auto const responses = functions(content, "functionResponse").names;
    auto const calls = functions(content, "functionCall");
    std::string const side = responses.empty() ? role : "results";
    if (side == before) faults.push_back(at + "ALT");
    if (responses != open) faults.push_back(at + "COUNT, MATCH or ORPHAN");
    if (!responses.empty() && responses.size() != content["parts"].size()) faults.push_back(at + "MIXED");
    if (!model.old && !calls.first_signed) faults.push_back(at + "SIGNATURE missing");
    open = calls.names;
    before = side;
  }
  if (!open.empty()) faults.push_back("UNANSWERED");
  if (before == "model" && !model.prefill) faults.push_back("LAST");
  return faults;
}

}}
