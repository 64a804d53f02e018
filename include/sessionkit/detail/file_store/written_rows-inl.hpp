// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_store/written_rows.hpp>

#include <algorithm>
#include <numeric>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {
constexpr std::size_t first_sorted = 2048; // a page of a list needs few
}

WrittenRows::WrittenRows(IndexText text, std::vector<Row> rows)
    : text_(std::move(text)), rows_(std::move(rows)), order_(rows_.size()), left_(rows_.size()) {
  std::size_t slots = 1;
  while (slots < 2 * rows_.size()) slots *= 2;
  slots_.resize(slots);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    slots_[slot_of(rows_[i].hash, [](Row const&) { return false; })] = static_cast<std::uint32_t>(i + 1);
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
}

// Where the row of that hash is that `is_it` answers yes to, or would be.
template <class IsIt> std::size_t WrittenRows::slot_of(std::uint64_t hash, IsIt is_it) const noexcept {
  std::size_t const mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  while (slots_[at] != 0 && !is_it(rows_[slots_[at] - 1])) at = (at + 1) & mask;
  return at;
}

WrittenRows::Row const* WrittenRows::find(std::string_view name) const noexcept {
  if (left_ == 0) return nullptr;
  std::uint64_t const hash = name_hash(name);
  std::uint32_t const number =
      slots_[slot_of(hash, [&](Row const& row) { return row.hash == hash && row.name == name; })];
  return number != 0 && !rows_[number - 1].json.empty() ? &rows_[number - 1] : nullptr;
}

std::optional<WrittenRows::Row> WrittenRows::take(std::string_view name) noexcept {
  Row const* const found = find(name);
  if (found == nullptr) return std::nullopt;
  Row const out = *found;
  rows_[static_cast<std::size_t>(found - rows_.data())].json = {};
  --left_;
  return out;
}

void WrittenRows::sort_up_to(std::size_t count) {
  auto const at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  auto const newer = [&](std::uint32_t a, std::uint32_t b) {
    return place_of(rows_[a]) < place_of(rows_[b]);
  };
  if (count < order_.size()) std::nth_element(at(sorted_), at(count), order_.end(), newer);
  std::sort(at(sorted_), at(count), newer);
  sorted_ = count;
}

std::size_t WrittenRows::first_behind(std::optional<ListPlace> const& place) {
  if (!place) return 0;
  if (sorted_ < order_.size()) sort_up_to(order_.size());
  auto const behind =
      std::upper_bound(order_.begin(), order_.end(), *place, [&](ListPlace const& before, std::uint32_t row) {
        return before < place_of(rows_[row]);
      });
  return static_cast<std::size_t>(behind - order_.begin());
}

WrittenRows::Row const* WrittenRows::newest(std::size_t number) {
  if (number >= order_.size()) return nullptr;
  if (number >= sorted_) sort_up_to(std::min(order_.size(), std::max(first_sorted, 2 * (number + 1))));
  return &rows_[order_[number]];
}

}}}
