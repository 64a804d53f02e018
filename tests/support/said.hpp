// SPDX-License-Identifier: MIT
// The content of a request, read back from each provider's wire format.
#pragma once
#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit_test {

struct Said {
  std::vector<std::string> user, assistant;       ///< marks such as `<u12>`, in order
  std::vector<std::string> unmarked;              ///< texts of the user that carry no mark
  std::vector<std::pair<int, std::string>> calls; ///< number of the call, mark of its result
  std::size_t images = 0;
};

/// The marks of one kind within a text, in order.
inline void find_marks(std::string const& text, char kind, std::vector<std::string>& marks) {
  for (std::size_t at = 0; (at = text.find(std::string("<") + kind, at)) != std::string::npos; ++at)
    marks.push_back(text.substr(at, text.find('>', at) - at + 1));
}

class SaidReader {
 public:
  using Json = nlohmann::json;

  static Said anthropic(Json const& messages) {
    SaidReader reader;
    for (Json const& message : messages)
      for (Json const& block : message["content"]) {
        std::string const type = block["type"];
        if (type == "text") reader.text(message["role"] == "user", block["text"]);
        if (type == "image") ++reader.said_.images;
        if (type == "tool_use") reader.call(block["id"], block["input"]);
        if (type == "tool_result") reader.result(block["tool_use_id"], block["content"]);
      }
    return reader.said_;
  }

  static Said chat(Json const& messages) {
    SaidReader reader;
    for (Json const& message : messages) {
      std::string const role = message["role"];
      if (role == "tool") reader.result(message["tool_call_id"], message["content"]);
      if (role == "user" || role == "assistant")
        for (Json const& part : message["content"]) {
          if (part["type"] == "text") reader.text(role == "user", part["text"]);
          if (part["type"] == "image_url") ++reader.said_.images;
        }
      for (Json const& call : message.value("tool_calls", Json::array()))
        reader.call(call["id"], Json::parse(call["function"]["arguments"].get<std::string>()));
    }
    return reader.said_;
  }

  static Said responses(Json const& input) {
    SaidReader reader;
    for (Json const& item : input) {
      std::string const type = item["type"];
      if (type == "function_call")
        reader.call(item["call_id"], Json::parse(item["arguments"].get<std::string>()));
      if (type == "function_call_output") reader.result(item["call_id"], item["output"]);
      if (type != "message") continue;
      for (Json const& part : item["content"]) {
        if (part.contains("text")) reader.text(item["role"] == "user", part["text"]);
        if (part["type"] == "input_image") ++reader.said_.images;
      }
    }
    return reader.said_;
  }

  static Said gemini(Json const& contents) {
    SaidReader reader;
    std::size_t asked = 0, answered = 0; // results have no ids, but an order
    for (Json const& content : contents)
      for (Json const& part : content["parts"]) {
        if (part.contains("text") && !part.contains("thought"))
          reader.text(content["role"] == "user", part["text"]);
        if (part.contains("inlineData") || part.contains("fileData")) ++reader.said_.images;
        if (part.contains("functionCall")) reader.call(std::to_string(asked++), part["functionCall"]["args"]);
        if (part.contains("functionResponse"))
          reader.result(std::to_string(answered++), part["functionResponse"]);
      }
    return reader.said_;
  }

 private:
  void text(bool user, std::string const& text) {
    find_marks(text, user ? 'u' : 'a', user ? said_.user : said_.assistant);
    if (user && text.find('<') == std::string::npos) said_.unmarked.push_back(text);
  }
  void call(std::string const& id, Json const& input) { open_[id] = number_in(input); }
  void result(std::string const& id, Json const& content) {
    std::vector<std::string> marks;
    std::string const text = content.dump();
    find_marks(text, 'r', marks);
    said_.calls.emplace_back(open_.at(id), marks.empty() ? "" : marks.front());
    for (std::size_t at = 0; (at = text.find("QUJD", at)) != std::string::npos; ++at) ++said_.images;
  }

  // Arguments that were not an object are wrapped.
  static int number_in(Json const& input) {
    if (input.contains("n")) return input["n"];
    Json const& wrapped = input["input"];
    if (wrapped.is_array()) return wrapped[0];
    return wrapped.is_string() ? std::stoi(wrapped.get<std::string>()) : wrapped.get<int>();
  }

  Said said_;
  std::map<std::string, int> open_;
};

}
