// SPDX-License-Identifier: MIT
#include "picker.hpp"
#include "row_writer.hpp"

#include <sessionkit/search.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <sstream>
#include <utility>

namespace chat {

namespace sk = sessionkit;

namespace {

std::string searched(sk::SessionInfo const& info) {
  constexpr std::size_t whole = 1000;
  return sk::fold_case(info.display_title(whole) + '\n' + info.key + '\n' + info.id.str());
}

/// True if the text has all the words.
bool has_words(std::string const& text, std::string const& typed) {
  std::istringstream words(sk::fold_case(typed));
  for (std::string word; words >> word;)
    if (text.find(word) == std::string::npos) return false;
  return true;
}

void remove_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

}

Picker::Picker(std::vector<sk::SessionInfo> sessions, sk::Timestamp now)
    : sessions_(std::move(sessions)), now_(now) {
  words_.reserve(sessions_.size());
  for (auto const& info : sessions_) words_.push_back(searched(info));
  filter();
}

void Picker::filter() {
  found_.clear();
  for (std::size_t i = 0; i < sessions_.size(); ++i)
    if (has_words(words_[i], typed_)) found_.push_back(i);
  at_ = 0;
}

Picker::State Picker::take(Key key, std::string const& typed) {
  auto const last = found_.empty() ? 0 : found_.size() - 1;
  switch (key) {
  case Key::up: at_ -= at_ == 0 ? 0 : 1; break;
  case Key::down: at_ = std::min(at_ + 1, last); break;
  case Key::page_up: at_ -= std::min(at_, page_); break;
  case Key::page_down: at_ = std::min(at_ + page_, last); break;
  case Key::enter: return found_.empty() ? State::open : State::chosen;
  case Key::escape: return State::left;
  case Key::none: break;
  case Key::text:
    typed_ += typed;
    filter();
    break;
  case Key::erase:
    remove_last_character(typed_);
    filter();
    break;
  case Key::clear:
    typed_.clear();
    filter();
    break;
  }
  return State::open;
}

std::optional<sk::SessionId> Picker::chosen() const {
  if (found_.empty()) return std::nullopt;
  return sessions_[found_[at_]].id;
}

std::string Picker::row(std::size_t number, std::size_t columns) const {
  auto const& info = sessions_[found_[number]];
  auto const right =
      fmt::format("{:>9}  {:>12}", cli::plural(info.turns, "turn", "turns"), cli::moment(info.updated, now_));
  std::string const mark = number == at_ ? "> " : "  ";
  auto const room = columns - std::min(columns, mark.size() + right.size() + 2);
  auto const title = cli::cut(cli::neutral(cli::one_line(info.display_title(room))), room);
  return cli::cut(mark + title + std::string(room - std::min(room, cli::columns(title)), ' ') + "  " + right,
                  columns);
}

std::vector<std::string> Picker::draw(Size size, bool styled) {
  constexpr std::size_t frame = 4; // rows that show no session
  page_ = size.rows > frame ? size.rows - frame : 1;
  auto const columns = size.columns - 1; // the cursor never leaves a row
  auto const look = [&](std::string const& text, Style style) {
    auto const fits = cli::cut(cli::neutral(text), columns);
    return styled ? in_style(fits, style) : fits;
  };
  std::vector<std::string> rows{
      look(fmt::format("Continue which session?  {} of {}", found_.size(), sessions_.size()), bold),
      look("Search: " + cli::cut_front(typed_, columns / 2) + "_", plain)};
  auto const top = at_ - at_ % page_;
  for (std::size_t i = top; i < std::min(top + page_, found_.size()); ++i)
    rows.push_back(look(row(i, columns), i == at_ ? bold | person : plain));
  if (found_.empty()) rows.push_back(look("  No session has these words.", plain));
  rows.emplace_back();
  rows.push_back(look("Type to search   Up, Down   Enter continues   Esc leaves", quiet));
  rows.resize(std::min(rows.size(), size.rows));
  return rows;
}

}
