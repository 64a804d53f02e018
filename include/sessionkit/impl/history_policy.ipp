// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history_policy.hpp>

namespace sessionkit { inline namespace v0 {

HistoryPolicy turn_limit(std::size_t n) {
  return [n](std::vector<Message> const& messages) {
    std::size_t turns = 0;
    for (std::size_t i = messages.size(); i-- > 0;)
      if (messages[i].role == Role::user && ++turns >= n) return n == 0 ? messages.size() : i;
    return n == 0 ? messages.size() : std::size_t{0};
  };
}

HistoryPolicy message_limit(std::size_t n) {
  return [n](std::vector<Message> const& messages) { return messages.size() > n ? messages.size() - n : 0; };
}

}}
