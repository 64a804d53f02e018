// SPDX-License-Identifier: MIT
// The faults that each of four providers finds in a conversation whose next message is the user's.
#pragma once
#include "support/gemini_checks.hpp"
#include "support/provider_checks.hpp"
#include "support/responses_checks.hpp"

#include <sessionkit/provider.hpp>

#include <array>

namespace sessionkit_test {

namespace sk = sessionkit;

inline constexpr std::array<sk::Provider, 4> four_providers{
    sk::Provider::anthropic, sk::Provider::openai_chat, sk::Provider::openai_responses, sk::Provider::gemini};

inline Faults refused(sk::History const& history, sk::Target const& target) {
  Json const messages = Json::parse(sk::encode(history, target).messages);
  switch (target.provider) {
  case sk::Provider::openai_chat: return openai::check(messages);
  case sk::Provider::openai_responses: return responses::check(messages);
  case sk::Provider::gemini: return gemini::check(messages, {false, true, true});
  default: return anthropic::check(messages, true);
  }
}

}
