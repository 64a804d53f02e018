// SPDX-License-Identifier: MIT
// The state of the full-screen browser: which view is shown, what is selected, and what each key does.
#include "browser.hpp"
#include "hiding.hpp"
#include "records.hpp"
#include "talk_rows.hpp"

#include <sessionkit/search.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

constexpr std::size_t most_entries = 2000; // of a conversation that is shown
constexpr std::size_t most_hits = 500;
constexpr std::size_t least_for_preview = 70; // columns

std::string padded(std::string const& text, std::size_t columns_wide) {
  auto const used = columns(text);
  return used < columns_wide ? text + std::string(columns_wide - used, ' ') : cut(text, columns_wide);
}

std::string title_of(sk::SessionInfo const& info) {
  auto const title = one_line(neutral(info.display_title(200)));
  return title.empty() ? info.id.str() : title;
}

/// With the first characters of its id, by which commands name it.
std::string named(sk::SessionInfo const& info) {
  constexpr std::size_t enough = 12; // ids of sessions that were begun in the same minute differ there
  return info.id.str().substr(0, enough) + " · " + title_of(info);
}

/// The error that the call throws; empty if there is none.
template <class F> std::string error_of(F&& call) {
  try {
    call();
  } catch (Failure const& failure) { return failure.message; } catch (sk::Exception const& exception) {
    return exception.error().message;
  }
  return {};
}

}

Browser::Browser(StorePtr store, std::string name) : store_(std::move(store)), name_(std::move(name)) {
  sessions_ = sk::list_all(*store_).value();
}

std::size_t Browser::length() const {
  switch (views_.back()) {
  case View::list: return sessions_.size();
  case View::hits: return hits_.size();
  case View::talk: return talk_.size();
  case View::tree: return tree_.size();
  }
  return 0;
}

std::size_t Browser::current_session() const {
  if (views_.back() == View::hits) return hits_.empty() ? 0 : hits_[places_.back()].session;
  return views_.back() == View::list ? places_.back() : open_;
}

bool Browser::take(Key const& key) {
  bool stays = true;
  message_ = error_of([&] { stays = act(key); });
  return stays;
}

bool Browser::act(Key const& key) {
  if (typing_) return take_typed(key);
  switch (key.name) {
  case Key::text: return take_letter(key.typed);
  case Key::enter: enter(); return true;
  case Key::escape:
  case Key::erase: return views_.size() == 1 || leave();
  case Key::none: return true;
  default: move(key.name); return true;
  }
}

bool Browser::take_typed(Key const& key) {
  if (key.name == Key::text) query_ += key.typed;
  if (key.name == Key::erase && !query_.empty()) {
    while (query_.size() > 1 && (query_.back() & '\xC0') == '\x80') query_.pop_back();
    query_.pop_back();
  }
  if (key.name == Key::escape || key.name == Key::enter) typing_ = false;
  if (key.name == Key::enter && !query_.empty()) search();
  return true;
}

bool Browser::take_letter(std::string const& letter) {
  if (letter == "q") return leave();
  if (letter == "j") move(Key::down);
  if (letter == "k") move(Key::up);
  if (letter == " ") move(Key::page_down);
  if (letter == "g") move(Key::home);
  if (letter == "G") move(Key::end);
  if (letter == "t") show_tree();
  if (letter == "n" || letter == "N") next_hit(letter == "n");
  if (letter == "/") {
    typing_ = true;
    query_.clear();
  }
  return true;
}

void Browser::move(Key::Name to) {
  auto const last = length() == 0 ? 0 : length() - 1;
  auto& place = places_.back();
  if (to == Key::up) place -= place == 0 ? 0 : 1;
  if (to == Key::down) place += 1;
  if (to == Key::page_up) place -= std::min(place, page_);
  if (to == Key::page_down) place += page_;
  if (to == Key::home) place = 0;
  if (to == Key::end) place = last;
  place = std::min(place, last);
}

bool Browser::leave() {
  if (views_.size() == 1) return false;
  views_.pop_back();
  places_.pop_back();
  top_ = 0;
  return true;
}

void Browser::enter() {
  if (length() == 0) return;
  switch (views_.back()) {
  case View::list: return show_talk(places_.back(), {}, {});
  case View::hits: {
    auto const& hit = hits_[places_.back()];
    show_talk(hit.session, {}, hit.entry);
    bool const is_there =
        !talk_.empty()
        && sk::fold_case(talk_[places_.back()].text).find(sk::fold_case(query_)) != std::string::npos;
    if (!is_there) next_hit(true);
    return;
  }
  case View::tree: {
    auto const at = tree_[places_.back()].entry;
    return show_talk(open_, at, at);
  }
  case View::talk: return;
  }
}

void Browser::show_talk(std::size_t session, sk::EntryId const& leaf, sk::EntryId const& at) {
  auto const& id = sessions_[session].id;
  leaf_ = leaf;
  talk_ = talk_rows(*store_, id, leaf, most_entries, columns_);
  auto const is_there = [&](Row const& row) { return row.entry == at && !row.text.empty(); };
  auto found = std::find_if(talk_.begin(), talk_.end(), is_there);
  if (!at.empty() && found == talk_.end()) { // on another branch
    leaf_ = at;
    talk_ = talk_rows(*store_, id, at, most_entries, columns_);
    found = std::find_if(talk_.begin(), talk_.end(), is_there);
  }
  auto const end = talk_.empty() ? 0 : talk_.size() - 1;
  open_ = session;
  views_.push_back(View::talk);
  places_.push_back(at.empty() || found == talk_.end() ? end
                                                       : static_cast<std::size_t>(found - talk_.begin()));
  top_ = 0;
}

void Browser::show_tree() {
  if (views_.back() == View::tree || sessions_.empty() || length() == 0) return;
  auto const session = current_session();
  tree_ = tree_rows(*store_, sessions_[session].id);
  open_ = session;
  auto const leaf = std::find_if(tree_.begin(), tree_.end(),
                                 [&](Row const& row) { return row.entry == sessions_[session].last; });
  views_.push_back(View::tree);
  places_.push_back(leaf == tree_.end() ? 0 : static_cast<std::size_t>(leaf - tree_.begin()));
  top_ = 0;
}

void Browser::search() {
  std::string message;
  while (leave()) {}
  hits_.clear();
  cut_short_ = false;
  for (std::size_t i = 0; i < sessions_.size() && !cut_short_; ++i) {
    if (auto const error = error_of([&] { search_in(i); }); !error.empty()) message = error;
    cut_short_ = cut_short_ || (on_search && !on_search(i + 1, sessions_.size()));
  }
  views_.push_back(View::hits);
  places_.push_back(0);
  top_ = 0;
  if (!message.empty())
    throw Failure{Exit::runtime, "not_searched", "not everything was searched: " + message};
}

void Browser::search_in(std::size_t session) {
  sk::SearchQuery query{query_};
  query.ignore_case = true;
  query.after = 240;
  do {
    query.limit = most_hits - hits_.size();
    auto const page = sk::search(*store_, {sessions_[session].id}, query).value();
    for (auto const& hit : page.hits)
      if (!is_hidden(hit.entry))
        hits_.push_back({session, hit.entry.id, one_line(neutral(hit.before + hit.match + hit.after))});
    if (!page.failures.empty()) throw sk::Exception(page.failures.front().error);
    query.cursor = page.next;
  } while (!query.cursor.empty() && hits_.size() < most_hits);
  cut_short_ = !query.cursor.empty();
}

void Browser::next_hit(bool forward) {
  if (views_.back() != View::talk || query_.empty() || talk_.empty()) return;
  auto const query = sk::fold_case(query_);
  auto const step = forward ? std::size_t{1} : talk_.size() - 1;
  for (std::size_t i = 1; i < talk_.size(); ++i) {
    auto const row = (places_.back() + i * step) % talk_.size();
    if (sk::fold_case(talk_[row].text).find(query) == std::string::npos) continue;
    places_.back() = row;
    return;
  }
}

ScreenLine Browser::title_line(std::size_t columns_wide) const {
  std::string what;
  switch (views_.back()) {
  case View::list:
    what = fmt::format("{} · {}", name_, plural(sessions_.size(), "session", "sessions"));
    break;
  case View::hits:
    what = fmt::format("\"{}\" · {}{}", query_, cut_short_ ? "the first " : "",
                       plural(hits_.size(), "hit", "hits"));
    break;
  case View::talk: what = named(sessions_[open_]); break;
  case View::tree: what = "Tree · " + named(sessions_[open_]); break;
  }
  auto const place = length() == 0 ? std::string() : fmt::format(" {}/{} ", places_.back() + 1, length());
  auto const room = columns_wide - std::min(columns_wide, place.size());
  return {{padded(" " + one_line(neutral(what)), room) + place, Style::selected}};
}

ScreenLine Browser::help_line(std::size_t columns_wide) const {
  if (typing_) return {{cut("search: " + one_line(neutral(query_)) + "_", columns_wide), Style::strong}};
  if (!message_.empty()) return {{cut(one_line(neutral(message_)), columns_wide), Style::strong}};
  char const* help = "";
  switch (views_.back()) {
  case View::list: help = "Enter read  t tree  / search  q leave"; break;
  case View::hits: help = "Enter read  t tree  / search again  q back"; break;
  case View::talk:
    help =
        query_.empty() ? "t tree  / search  q back" : "n N next and previous hit  t tree  / search  q back";
    break;
  case View::tree: help = "Enter read up to here  / search  q back"; break;
  }
  return {{cut(help, columns_wide), Style::quiet}};
}

ScreenLine Browser::list_line(std::size_t number, std::size_t columns_wide) const {
  bool const is_hit = views_.back() == View::hits;
  auto const session = is_hit ? hits_[number].session : number;
  auto const when = moment(sessions_[session].updated, sk::system_now());
  auto const style = number == places_.back() ? Style::selected : Style::plain;
  std::size_t const taken = columns(when) + 3;
  auto const room = columns_wide - std::min(columns_wide, taken);
  return {{" " + padded(is_hit ? hits_[number].text : title_of(sessions_[session]), room) + " " + when + " ",
           style}};
}

/// Rows that have the words of the search are marked.
Style Browser::style_of(Row const& row) const {
  bool const is_hit = !query_.empty() && views_.back() != View::list
                      && sk::fold_case(row.text).find(sk::fold_case(query_)) != std::string::npos;
  return is_hit ? Style::hit : row.style;
}

ScreenLine Browser::row_line(std::size_t number, std::size_t columns_wide) const {
  auto const& row = (views_.back() == View::talk ? talk_ : tree_)[number];
  auto style = style_of(row);
  if (number == places_.back() && views_.back() == View::tree) style = Style::selected;
  auto const mark = number == places_.back() ? "> " : "  ";
  return {{mark + cut(row.text, columns_wide - std::min<std::size_t>(columns_wide, 2)), style}};
}

std::vector<Row> const& Browser::preview(std::size_t columns_wide) {
  auto const session = current_session();
  auto const leaf = views_.back() == View::hits ? hits_[places_.back()].entry : sk::EntryId();
  if (previewed_ != session || previewed_leaf_ != leaf || preview_columns_ != columns_wide) {
    auto const error =
        error_of([&] { preview_ = talk_rows(*store_, sessions_[session].id, leaf, 30, columns_wide); });
    if (!error.empty()) {
      preview_.clear();
      for (auto& line : lines_of(error, columns_wide)) preview_.push_back({std::move(line), Style::hit});
    }
    previewed_ = session;
    previewed_leaf_ = leaf;
    preview_columns_ = columns_wide;
  }
  return preview_;
}

std::vector<ScreenLine> Browser::draw(std::size_t columns_wide, std::size_t rows) {
  bool const reads = views_.back() == View::talk || views_.back() == View::tree;
  auto const room = columns_wide - std::min<std::size_t>(columns_wide, 2); // the mark takes two
  if (std::exchange(columns_, room) != room && views_.back() == View::talk) {
    auto const at = talk_.empty() ? sk::EntryId() : talk_[places_.back()].entry;
    leave();
    show_talk(open_, leaf_, at);
  }
  page_ = rows > 3 ? rows - 3 : 1; // one line stays in sight
  std::size_t const height = rows > 2 ? rows - 2 : 0;
  auto const place = places_.back();
  if (place < top_) top_ = place;
  if (height != 0 && place >= top_ + height) top_ = place - height + 1;

  std::size_t const left = !reads && columns_wide >= least_for_preview ? columns_wide * 2 / 5 : columns_wide;
  std::size_t const right = columns_wide - left < 3 ? 0 : columns_wide - left - 3;
  bool const previews = right != 0 && length() != 0;
  auto const* const shown = previews ? &preview(right) : nullptr;
  std::size_t const first = shown != nullptr && shown->size() > height ? shown->size() - height : 0;
  std::vector<ScreenLine> screen{title_line(columns_wide)};
  for (std::size_t i = 0; i < height; ++i) {
    auto const number = top_ + i;
    ScreenLine line;
    if (number < length()) line = reads ? row_line(number, columns_wide) : list_line(number, left);
    if (previews) {
      if (line.empty()) line.push_back({std::string(left, ' ')});
      line.push_back({" │ ", Style::quiet});
      if (first + i < shown->size())
        line.push_back({(*shown)[first + i].text, style_of((*shown)[first + i])});
    }
    screen.push_back(std::move(line));
  }
  if (length() == 0 && height != 0)
    screen[1] = {{cut(views_.back() == View::hits ? " Nothing has this text." : " There is nothing here yet.",
                      columns_wide)}};
  screen.push_back(help_line(columns_wide));
  return screen;
}

}
