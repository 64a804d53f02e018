// SPDX-License-Identifier: MIT
// What a provider gets of a context, or of one message, as JSON.
#pragma once
#include "support/conversations.hpp"
#include "support/provider_checks.hpp"

#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sessionkit_test {

/// The bytes of a PNG, as base64.
inline std::string const png = "iVBORw0KGgoAAAANSUhEUg==";

inline sk::ToolUse call(std::string id, std::string input = "{}", std::string name = "read") {
  return {std::move(id), std::move(name), sk::RawJson::from(std::move(input))};
}

/// The messages of a request.
inline Json sent(sk::Context const& log, sk::Provider provider = sk::Provider::anthropic) {
  sk::Target target;
  target.provider = provider;
  return Json::parse(sk::encode(sk::HistoryRebuilder(target).rebuild(log), target).messages);
}

/// The content of one message in a request.
inline Json content(sk::Message message, sk::Provider provider = sk::Provider::anthropic) {
  bool const user = message.role == sk::Role::user;
  auto const log = user ? context_of({std::move(message)})
                        : context_of({sk::user("q"), std::move(message), sk::user("r")});
  return sent(log, provider)[user ? 0 : 1][provider == sk::Provider::gemini ? "parts" : "content"];
}

}
