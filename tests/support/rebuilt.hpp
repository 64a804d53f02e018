// SPDX-License-Identifier: MIT
// Histories of contexts, and what is sent of them.
#pragma once
#include "support/provider_checks.hpp"
#include "support/sent_messages.hpp"

#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sessionkit_test {

inline sk::Message answer(std::string id, std::string text, bool error = false) {
  return sk::tool_results({{std::move(id), "read", {sk::Text{std::move(text)}}, error}});
}
inline sk::Message stopped(sk::Message message, sk::StopReason stop) {
  message.generation = sk::Generation{};
  message.generation->stop = stop;
  return message;
}
inline sk::Message made_by(sk::Message message, std::string api, std::string model) {
  message.generation = sk::Generation{};
  message.generation->api = std::move(api);
  message.generation->model = std::move(model);
  return message;
}

inline sk::History rebuild(sk::Context const& from, sk::Target target = {}) {
  return sk::HistoryRebuilder(std::move(target)).rebuild(from);
}

/// The rules that changed something.
inline std::vector<std::string> rules(sk::History const& history) {
  std::vector<std::string> names;
  for (sk::Repair const& repair : history.report) names.emplace_back(repair.rule);
  return names;
}
/// The first change by a rule; empty if there is none.
inline sk::Repair repair(sk::Context const& from, std::string const& rule,
                         sk::Provider provider = sk::Provider::anthropic) {
  sk::Target target;
  target.provider = provider;
  for (sk::Repair const& found : rebuild(from, target).report)
    if (found.rule == rule) return found;
  return {};
}

/// A short form of the messages of a request to Anthropic: "user:text assistant:call(a),text" and so on.
inline std::string shape(Json const& messages) {
  std::string all;
  for (Json const& message : messages) {
    all += (all.empty() ? "" : " ") + message["role"].get<std::string>() + ":";
    std::string parts;
    for (Json const& block : message["content"]) {
      std::string const type = block["type"];
      parts += parts.empty() ? "" : ",";
      if (type == "tool_use")
        parts += "call(" + block["id"].get<std::string>() + ")";
      else if (type == "tool_result")
        parts += "result(" + block["tool_use_id"].get<std::string>() + "="
                 + (block["content"].empty() ? "" : block["content"][0].value("text", "?")) + ")";
      else
        parts += block.value("text", type);
    }
    all += parts;
  }
  return all;
}
inline std::string shape(sk::Context const& from) { return shape(sent(from)); }

inline bool is_accepted(sk::Context const& from) {
  return anthropic::check(sent(from), true).empty()
         && openai::check(sent(from, sk::Provider::openai_chat)).empty();
}

}
