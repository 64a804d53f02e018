// SPDX-License-Identifier: MIT
#include "searching.hpp"

#include <sessionkit/message.hpp>
#include <sessionkit/search.hpp>

#include <algorithm>
#include <utility>

namespace chat_host {

namespace sk = sessionkit;

namespace {

constexpr std::size_t before_match = 40, after_match = 80; // bytes, about

bool is_inside(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
}

void take_words(Hit& hit, std::string_view text, std::size_t at, std::size_t length) {
  std::size_t const end = at + length;
  std::size_t begin = at - std::min(at, before_match), last = std::min(text.size(), end + after_match);
  while (is_inside(text, begin)) --begin;
  while (is_inside(text, last)) ++last;
  hit.before = (begin > 0 ? "…" : "") + std::string(text.substr(begin, at - begin));
  hit.match = text.substr(at, length);
  hit.after = std::string(text.substr(end, last - end)) + (last < text.size() ? "…" : "");
}

}

std::vector<Hit> hits_in(sk::SessionInfo const& info, std::vector<sk::Entry> const& entries,
                         std::string_view folded, std::size_t most) {
  std::vector<Hit> hits;
  auto const again = sk::written_again(entries);
  for (std::size_t i = entries.size(); i-- > 0 && hits.size() < most;) {
    auto const* const message = entries[i].as<sk::Message>();
    if (message == nullptr || again[i]) continue;
    if (message->role != sk::Role::user && message->role != sk::Role::assistant) continue;
    auto const text = message->text();
    auto const at = sk::fold_case(text).find(folded);
    if (at == std::string::npos) continue;
    Hit hit{info};
    hit.entry = entries[i].id;
    hit.role = message->role;
    hit.at = entries[i].at;
    take_words(hit, text, at, folded.size());
    hits.push_back(std::move(hit));
  }
  return hits;
}

}
