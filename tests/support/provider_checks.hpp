// SPDX-License-Identifier: MIT
// Checks whether a provider accepts these messages. Written from the rule lists at the top of
// tests/oracle/check_anthropic.py (mode strict) and check_openai.py (--strict), on nlohmann's tree, so that
// nothing here is the library's own code.
#pragma once
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit_test {

using Json = nlohmann::json;
/// The faults, one sentence each; empty if accepted.
using Faults = std::vector<std::string>;

inline bool all_in(std::string_view text, std::size_t limit) {
  return !text.empty() && text.size() <= limit && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// Code points, each as its bytes.
inline std::vector<std::string> code_points(std::string const& text) {
  std::vector<std::string> points;
  for (char const c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80 || points.empty()) points.emplace_back();
    points.back() += c;
  }
  return points;
}

/// The white space that the checkers strip.
inline bool is_white(std::string const& text) {
  static std::set<std::string> const white{
      " ",        "\t",           "\n",           "\r",       "\f",          "\v",
      "\xC2\xA0", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xC2\x85", "\xE3\x80\x80"};
  auto const points = code_points(text);
  return std::all_of(points.begin(), points.end(),
                     [](std::string const& point) { return white.count(point) != 0; });
}

/// The characters that Python's rstrip removes.
inline bool ends_in_white(std::string const& text) {
  static std::set<std::string> const more{"\x1C",         "\x1D",         "\x1E",        "\x1F",
                                          "\xE1\x9A\x80", "\xE2\x80\xAF", "\xE2\x81\x9F"};
  auto const points = code_points(text);
  if (points.empty()) return false;
  std::string const& last = points.back();
  bool const space_block = last.size() == 3 && last.compare(0, 2, "\xE2\x80") == 0
                           && static_cast<unsigned char>(last[2]) >= 0x80
                           && static_cast<unsigned char>(last[2]) <= 0x8A;
  return is_white(last) || more.count(last) != 0 || space_block;
}

inline std::string string_at(Json const& object, char const* key) {
  auto const found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

namespace anthropic {

inline void check_result(Json const& block, std::string const& at, Faults& faults) {
  if (string_at(block, "tool_use_id").empty()) faults.push_back(at + "BLOCK tool_result without tool_use_id");
  if (!block.contains("content")) return;
  Json const& content = block["content"];
  if (!content.is_array() && (!content.is_string() || content == ""))
    faults.push_back(at + "tool_result content is neither text nor an array");
  for (Json const& piece : content.is_array() ? content : Json::array()) {
    std::string const type = string_at(piece, "type");
    if (type != "text" && block.contains("is_error")) faults.push_back(at + "ERRTEXT " + type);
    if (type != "text" && type != "image" && type != "document" && type != "search_result")
      faults.push_back(at + "BLOCK tool_result content " + type);
    if (type == "text" && string_at(piece, "text").empty())
      faults.push_back(at + "EMPTY text in tool_result");
  }
  if (block.contains("is_error") && !block["is_error"].is_boolean()) faults.push_back(at + "BLOCK is_error");
}

inline void check_image(Json const& block, std::string const& at, Faults& faults) {
  static std::set<std::string> const types{"image/png", "image/jpeg", "image/gif", "image/webp"};
  Json const& source = block.value("source", Json::object());
  bool const data = string_at(source, "type") == "base64" && types.count(string_at(source, "media_type")) != 0
                    && !string_at(source, "data").empty();
  bool const url = string_at(source, "type") == "url" && string_at(source, "url").substr(0, 8) == "https://";
  if (!data && !url) faults.push_back(at + "BLOCK image source");
}

/// What this API alone has; tests/oracle looks at their members.
inline bool is_own_block(std::string const& type, bool user) {
  if (user) return type == "document" || type == "search_result" || type == "container_upload";
  bool const result = type.size() > 12 && type.substr(type.size() - 12) == "_tool_result";
  return result || type == "server_tool_use" || type == "mcp_tool_use" || type == "container_upload";
}

struct Seen {
  std::set<std::string> ids;     ///< of all calls so far
  std::vector<std::string> open; ///< calls of the message before
};

inline void check_message(Json const& message, std::size_t index, bool last, bool prefill, Seen& seen,
                          Faults& faults) {
  std::string const at = "[" + std::to_string(index) + "] ";
  if (!message.is_object() || message.size() != 2) return faults.push_back(at + "SHAPE");
  std::string const role = string_at(message, "role");
  Json const& content = message["content"];
  if (role != "user" && role != "assistant") return faults.push_back(at + "SHAPE role " + role);
  if (!content.is_array()) return faults.push_back(at + "content is no array");
  if (content.empty()) faults.push_back(at + "EMPTY content");
  std::vector<std::string> calls, results;
  bool other = false;
  for (Json const& block : content) {
    std::string const type = string_at(block, "type");
    bool const user = role == "user";
    if (type == "text") {
      if (is_white(string_at(block, "text"))) faults.push_back(at + "EMPTY text");
    } else if (type == "image" && user) {
      check_image(block, at, faults);
    } else if (type == "thinking" && !user) {
      if (string_at(block, "signature").empty()) faults.push_back(at + "BLOCK thinking without signature");
    } else if (type == "redacted_thinking" && !user) {
      if (string_at(block, "data").empty()) faults.push_back(at + "BLOCK redacted_thinking without data");
    } else if (type == "tool_use" && !user) {
      std::string const id = string_at(block, "id");
      if (!all_in(id, 64)) faults.push_back(at + "BLOCK tool_use id " + id);
      if (!all_in(string_at(block, "name"), 128)) faults.push_back(at + "BLOCK tool_use name");
      if (!block.contains("input") || !block["input"].is_object())
        faults.push_back(at + "BLOCK tool_use input");
      if (!seen.ids.insert(id).second) faults.push_back(at + "DUPUSE " + id);
      calls.push_back(id);
    } else if (type == "tool_result" && user) {
      check_result(block, at, faults);
      if (other) faults.push_back(at + "ORDER tool_result after another block");
      results.push_back(string_at(block, "tool_use_id"));
    } else if (!is_own_block(type, user)) {
      faults.push_back(at + "BLOCK type " + type + " in role " + role);
    }
    other = other || type != "tool_result";
  }
  std::string const last_type = content.empty() ? std::string{} : string_at(content.back(), "type");
  if (last_type == "thinking" || last_type == "redacted_thinking") faults.push_back(at + "ends in thinking");
  if (results != seen.open)
    faults.push_back(at + "UNANSWERED, ORPHAN or DUPRES: results are not those of the calls");
  if (last && !calls.empty()) faults.push_back(at + "UNANSWERED at the end");
  if (last && role == "assistant") {
    if (!prefill) faults.push_back(at + "LASTTEXT assistant last");
    if (last_type == "text" && ends_in_white(string_at(content.back(), "text")))
      faults.push_back(at + "LASTTEXT ends in white space");
  }
  seen.open = calls;
}

/// `prefill`: the last message may be the assistant's; the user's next one is missing.
inline Faults check(Json const& messages, bool prefill) {
  Faults faults;
  if (!messages.is_array() || messages.empty()) return {"SHAPE no messages"};
  Seen seen;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::string const role = string_at(messages[i], "role");
    if (i == 0 && role != "user") faults.push_back("FIRST is " + role);
    if (i != 0 && role == string_at(messages[i - 1], "role"))
      faults.push_back("[" + std::to_string(i) + "] ALT");
    check_message(messages[i], i, i + 1 == messages.size(), prefill, seen, faults);
  }
  return faults;
}

}

namespace openai {

struct Seen {
  std::vector<std::string> pending; ///< calls that the next messages must answer
  std::set<std::string> answered, ids;
};

inline void check_content(Json const& message, std::string const& role, bool calls, std::string const& at,
                          Faults& faults) {
  if (!message.contains("content")) return faults.push_back(at + "CONTENT is missing");
  Json const& content = message["content"];
  if (content.is_null()) {
    if (role != "assistant" || !calls) faults.push_back(at + "CONTENT is null");
    return;
  }
  if (!content.is_array() || content.empty()) return faults.push_back(at + "CONTENT is no array of parts");
  for (Json const& part : content) {
    std::string const type = string_at(part, "type");
    bool const image = type == "image_url" && role == "user";
    if (type != "text" && !image) faults.push_back(at + "CONTENT part " + type + " in role " + role);
    if (type == "text" && !(part.contains("text") && part["text"].is_string()))
      faults.push_back(at + "CONTENT text");
    if (type == "text" && is_white(string_at(part, "text"))) faults.push_back(at + "EMPTY text");
    if (image && string_at(part.value("image_url", Json::object()), "url").empty())
      faults.push_back(at + "CONTENT image without url");
  }
}

inline void check_call(Json const& call, std::string const& at, Seen& seen, Faults& faults) {
  std::string const id = string_at(call, "id");
  if (id.empty() || id.size() > 40) faults.push_back(at + "CALLS id");
  if (string_at(call, "type") != "function") faults.push_back(at + "CALLS type");
  Json const& function = call.value("function", Json::object());
  if (!all_in(string_at(function, "name"), 64)) faults.push_back(at + "CALLS name");
  if (!Json::parse(string_at(function, "arguments"), nullptr, false).is_object())
    faults.push_back(at + "ARGS");
  if (!seen.ids.insert(id).second) faults.push_back(at + "DUPCALL " + id);
  seen.pending.push_back(id);
}

inline void check_message(Json const& message, std::string const& at, Seen& seen, Faults& faults) {
  static std::set<std::string> const roles{"system", "user", "assistant", "tool"};
  std::string const role = string_at(message, "role");
  if (roles.count(role) == 0) return faults.push_back(at + "SHAPE role " + role);
  if (role != "tool") {
    if (seen.answered.size() != seen.pending.size()) faults.push_back(at + "UNANSWERED before");
    seen.pending.clear(), seen.answered.clear();
  }
  bool const calls = message.contains("tool_calls");
  check_content(message, role, calls, at, faults);
  if (calls) {
    if (role != "assistant" || !message["tool_calls"].is_array() || message["tool_calls"].empty()
        || message["tool_calls"].size() > 128)
      faults.push_back(at + "CALLS");
    for (Json const& call : message["tool_calls"]) check_call(call, at, seen, faults);
  }
  if (role != "tool") return;
  std::string const id = string_at(message, "tool_call_id");
  if (std::find(seen.pending.begin(), seen.pending.end(), id) == seen.pending.end())
    faults.push_back(at + "ORPHAN " + id);
  if (!seen.answered.insert(id).second) faults.push_back(at + "DUPRES " + id);
}

inline Faults check(Json const& messages) {
  Faults faults;
  if (!messages.is_array() || messages.empty()) return {"SHAPE no messages"};
  Seen seen;
  std::string before;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::string const at = "[" + std::to_string(i) + "] ";
    std::string const role = string_at(messages[i], "role");
    check_message(messages[i], at, seen, faults);
    if (role == before && (role == "user" || role == "assistant")) faults.push_back(at + "ALT");
    before = role;
  }
  if (seen.answered.size() != seen.pending.size()) faults.push_back("UNANSWERED at the end");
  return faults;
}

}

}
