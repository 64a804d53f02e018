// SPDX-License-Identifier: MIT
#include "request_log.hpp"

#include <sessionkit/divergence.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace chat {

namespace sk = sessionkit;

namespace {

std::size_t shared_bytes(std::string const& a, std::string const& b) {
  auto const ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(ends.first - a.begin());
}

std::string place_of(sk::Divergence const& at) {
  std::string place = at.in_system ? "the system text" : fmt::format("message {}", at.message);
  if (at.repair) place += fmt::format(" ({})", at.repair->rule);
  return at.compacted ? place + " (compaction)" : place;
}

}

void RequestLog::note(sk::History history, sk::RequestParts const& request, sk::Target const& target) {
  Sent sent{request.messages.size(), shared_bytes(last_messages_, request.messages), {}};
  if (!sent_.empty())
    if (auto const at = sk::explain_divergence(last_, history, target)) sent.parted = place_of(*at);
  sent_.push_back(std::move(sent));
  last_ = std::move(history);
  last_messages_ = request.messages;
}

std::string RequestLog::text() const {
  std::string all;
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    Sent const& sent = sent_[i];
    all += fmt::format("request {}: {} bytes of messages", i + 1, sent.bytes);
    if (i != 0 && sent.parted.empty())
      all += fmt::format(", begins with the {} bytes of the one before", sent.repeated);
    if (!sent.parted.empty())
      all += fmt::format(", repeats {} bytes of the one before and differs from it at {}", sent.repeated,
                         sent.parted);
    all += '\n';
  }
  return all;
}

}
