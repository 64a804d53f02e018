// SPDX-License-Identifier: MIT
// Keeps the rows of an index in memory, as text until they are first used.
#pragma once
#include <sessionkit/detail/file_store/index_rows.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <algorithm>
#include <numeric>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace index_rows_inl { namespace {
constexpr std::size_t first_sorted = 2048; // a page of a list needs few
}}

SESSIONKIT_SELDOM IndexRows::IndexRows(IndexText text, std::vector<Unread> unread)
    : text_(std::move(text)),
      unread_(std::move(unread)),
      unread_order_(unread_.size()),
      left_(unread_.size()) {
  std::size_t slots = 1;
  while (slots < 2 * unread_.size()) slots *= 2;
  slots_.resize(slots);
  for (std::size_t i = 0; i < unread_.size(); ++i) {
    slots_[slot_of(unread_[i].hash, [](Unread const&) { return false; })] = static_cast<std::uint32_t>(i + 1);
    names_sum_ += unread_[i].hash;
  }
  std::iota(unread_order_.begin(), unread_order_.end(), std::uint32_t{0});
}

// Where the row of that hash is that `is_it` answers yes to, or would be.
template <class IsIt> std::size_t IndexRows::slot_of(std::uint64_t hash, IsIt is_it) const noexcept {
  std::size_t const mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  while (slots_[at] != 0 && !is_it(unread_[slots_[at] - 1])) at = (at + 1) & mask;
  return at;
}

IndexRows::Unread const* IndexRows::find_unread(std::string_view name) const noexcept {
  if (left_ == 0) return nullptr;
  std::uint64_t const hash = name_hash(name);
  std::uint32_t const number =
      slots_[slot_of(hash, [&](Unread const& row) { return row.hash == hash && row.name == name; })];
  return number != 0 && !unread_[number - 1].json.empty() ? &unread_[number - 1] : nullptr;
}

void IndexRows::note_read(Unread const& row) noexcept {
  unread_[static_cast<std::size_t>(&row - unread_.data())].json = {};
  --left_;
}

std::optional<IndexRows::End> IndexRows::end_of(std::string_view name) const {
  if (auto const found = read_.find(name); found != read_.end())
    return End{found->second.info.end, found->second.file_version};
  Unread const* const row = find_unread(name);
  if (row == nullptr) return std::nullopt;
  End end;
  for_members(row->json, [&](std::string_view key, std::string_view value) {
    if (key_is(key, end_member)) end.position = Position{to_uint(value).value_or(0)};
    if (key_is(key, file_version_member)) end.file_version = parse_file_version(value);
    return true;
  });
  return end;
}

IndexRow* IndexRows::find(std::string_view name) {
  if (auto const found = read_.find(name); found != read_.end()) return &found->second;
  Unread const* const unread = find_unread(name);
  if (unread == nullptr) return nullptr;
  SessionId id = SessionId::parse(name).value();
  IndexRow row = check_json(unread->json) ? read_index_row(std::move(id), unread->json)
                                          : IndexRow{make_session_info(std::move(id))}; // which folds again
  row.info.updated = from_unix_ms(unread->updated_ms); // its place in lists stays what it was
  note_read(*unread);
  Row& made = *read_.emplace(name, std::move(row)).first;
  if (ordered_) order_.insert(place(made));
  return &made.second;
}

IndexRows::Row& IndexRows::row_of(SessionId const& id) {
  find(id.str());
  auto const found = read_.find(id.str());
  if (found != read_.end()) return *found;
  names_sum_ += name_hash(id.str());
  return *read_.emplace(id.str(), IndexRow{make_session_info(id)}).first;
}

void IndexRows::put(IndexRow row) {
  std::string const name = row.info.id.str();
  bool const last = left_ == 0 && (read_.empty() || read_.rbegin()->first < name);
  if (!last) erase(name);
  names_sum_ += name_hash(name);
  auto const at = read_.insert_or_assign(read_.end(), name, std::move(row)); // mostly they come in order
  if (ordered_) order_.insert(place(*at));
}

void IndexRows::erase(std::string_view name) {
  auto const found = read_.find(name);
  Unread const* const unread = find_unread(name);
  if (found == read_.end() && unread == nullptr) return;
  names_sum_ -= name_hash(name);
  if (unread != nullptr) return note_read(*unread);
  if (ordered_) order_.erase(place(*found));
  read_.erase(found);
}

SESSIONKIT_SELDOM void IndexRows::merge(IndexRows disk, MergeInput const& ours) {
  order_.clear();
  ordered_ = false;
  for (Unread const& row : unread_) { // a row that was never asked for was never changed
    Unread const* const same = disk.find_unread(row.name);
    bool const differs = same != nullptr ? same->json != row.json : disk.has(row.name);
    if (!row.json.empty() && (ours.rebuilt || differs)) find(row.name);
  }
  for (auto& [name, row] : read_) {
    IndexRow* const there = disk.find(name);
    bool const changed = ours.rebuilt || ours.touched.count(name) > 0;
    bool const stays = changed || (ours.by_key && row.raw.empty());
    if (there != nullptr) row.keep_foreign(*there);
    if (changed) row.changed();
    if (there == nullptr ? stays : row.info.end >= there->info.end) disk.put(std::move(row));
  }
  for (std::string const& name : ours.removed) disk.erase(name);
  *this = std::move(disk);
}

void IndexRows::sort_unread(std::size_t count) {
  auto const at = [&](std::size_t i) { return unread_order_.begin() + static_cast<std::ptrdiff_t>(i); };
  auto const newer = [&](std::uint32_t a, std::uint32_t b) { return place(unread_[a]) < place(unread_[b]); };
  if (count < unread_order_.size()) std::nth_element(at(sorted_), at(count), unread_order_.end(), newer);
  std::sort(at(sorted_), at(count), newer);
  sorted_ = count;
}

std::size_t IndexRows::first_unread_after(std::optional<ListPlace> const& after) {
  if (!after) return 0;
  if (sorted_ < unread_order_.size()) sort_unread(unread_order_.size());
  auto const first = std::upper_bound(
      unread_order_.begin(), unread_order_.end(), *after,
      [&](ListPlace const& before, std::uint32_t row) { return before < place(unread_[row]); });
  return static_cast<std::size_t>(first - unread_order_.begin());
}

void IndexRows::newest_first(std::optional<ListPlace> const& after,
                             std::function<bool(std::string_view, std::string_view)> const& use) {
  if (!ordered_)
    for (Row const& row : read_) order_.insert(place(row));
  ordered_ = true;
  auto it = after ? order_.upper_bound(*after) : order_.begin();
  for (std::size_t number = first_unread_after(after);;) {
    if (number >= sorted_ && number < unread_order_.size()) // they are sorted as far as they are asked for
      sort_unread(std::min(unread_order_.size(), std::max(index_rows_inl::first_sorted, 2 * (number + 1))));
    Unread const* const row = number < unread_order_.size() ? &unread_[unread_order_[number]] : nullptr;
    if (row != nullptr && row->json.empty()) { // it is among those in `order_`
      ++number;
    } else if (row != nullptr && (it == order_.end() || place(*row) < *it)) {
      if (!use(row->name, row->json)) return;
      ++number;
    } else {
      if (it == order_.end() || !use(it->id, {})) return;
      ++it;
    }
  }
}

}}}
