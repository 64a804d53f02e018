// SPDX-License-Identifier: MIT
#include "turn_feed.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace chat_host {

TurnFeed::TurnFeed() : name_(sessionkit::random_entry_id()) {}

void TurnFeed::begin_behind(sessionkit::EntryId entry, sessionkit::EntryId log_end) {
  std::lock_guard const lock(mutex_);
  if (log_end != entry) log_ended_with_ = std::move(log_end);
  begun_behind_ = std::move(entry);
}

sessionkit::EntryId TurnFeed::log_ended_with() const {
  std::lock_guard const lock(mutex_);
  return log_ended_with_;
}

std::optional<sessionkit::EntryId> TurnFeed::begun_behind() const {
  std::lock_guard const lock(mutex_);
  return begun_behind_;
}

void TurnFeed::say(std::string_view words) { add(words, false); }
void TurnFeed::finish(std::string_view last_words) { add(last_words, true); }

void TurnFeed::add(std::string_view words, bool last) {
  {
    std::lock_guard const lock(mutex_);
    said_ += words;
    ends_.push_back(said_.size());
    over_ = last;
    if (!last) return changed_.notify_all();
    said_.shrink_to_fit();
    ends_.shrink_to_fit();
  }
  changed_.notify_all();
}

std::size_t TurnFeed::bytes() const {
  std::lock_guard const lock(mutex_);
  return said_.capacity() + ends_.capacity() * sizeof(std::size_t);
}

TurnFeed::Heard TurnFeed::hear(std::size_t from, std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return over_ || from < ends_.size(); });
  Heard heard;
  heard.over = over_;
  for (std::size_t i = from; i < ends_.size(); ++i) {
    auto const begin = i == 0 ? 0 : ends_[i - 1];
    heard.words.push_back(said_.substr(begin, ends_[i] - begin));
  }
  return heard;
}

std::size_t TurnFeed::position_behind(std::string_view name) const {
  auto const dot = name.rfind('.');
  if (dot == std::string_view::npos || name.substr(0, dot) != name_) return 0;
  auto const digits = name.substr(dot + 1);
  std::size_t n = 0;
  auto const read = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  std::lock_guard const lock(mutex_);
  return read.ec == std::errc() && n < ends_.size() ? n + 1 : 0;
}

}
