// SPDX-License-Identifier: MIT
#include "turn_feed.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace chat_host {

TurnFeed::TurnFeed() : name_(sessionkit::random_entry_id()) {}

void TurnFeed::begin_behind(sessionkit::EntryId entry) {
  std::lock_guard const lock(mutex_);
  begun_behind_ = std::move(entry);
}

std::optional<sessionkit::EntryId> TurnFeed::begun_behind() const {
  std::lock_guard const lock(mutex_);
  return begun_behind_;
}

void TurnFeed::say(std::string words) { add(std::move(words), false); }
void TurnFeed::finish(std::string last_words) { add(std::move(last_words), true); }

void TurnFeed::add(std::string words, bool last) {
  {
    std::lock_guard const lock(mutex_);
    bytes_ += sizeof words + words.capacity();
    said_.push_back(std::move(words));
    over_ = last;
  }
  changed_.notify_all();
}

std::size_t TurnFeed::bytes() const {
  std::lock_guard const lock(mutex_);
  return bytes_;
}

TurnFeed::Heard TurnFeed::hear(std::size_t from, std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return over_ || from < said_.size(); });
  auto const first = said_.begin() + static_cast<std::ptrdiff_t>(std::min(from, said_.size()));
  return {{first, said_.end()}, over_};
}

std::size_t TurnFeed::position_behind(std::string_view name) const {
  auto const dot = name.rfind('.');
  if (dot == std::string_view::npos || name.substr(0, dot) != name_) return 0;
  auto const digits = name.substr(dot + 1);
  std::size_t n = 0;
  auto const read = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  std::lock_guard const lock(mutex_);
  return read.ec == std::errc() && n < said_.size() ? n + 1 : 0;
}

}
