// SPDX-License-Identifier: MIT
// The target of a request to one of the servers that speak OpenAI's chat.
#pragma once
#include <sessionkit/history.hpp>

namespace sessionkit_test {

namespace sk = sessionkit;

inline sk::Target target_of(sk::ServerRules const& server) {
  sk::Target target;
  target.provider = sk::Provider::openai_chat;
  target.server = server;
  return target;
}

}
