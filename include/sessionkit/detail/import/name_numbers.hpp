// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Gives each name a number, so that a record that refers to others by name needs little memory. The empty
/// name is 0, and the others count from 1. A name takes its own bytes and about 20 more.
class NameNumbers {
 public:
  /// Returns the number of a name. A name that is not known gets a new number.
  std::uint32_t add(std::string_view name) {
    if (name.empty()) return 0;
    if (2 * size() >= table_.size()) grow();
    std::size_t const place = place_of(name);
    if (table_[place] == 0) {
      text_ += name;
      ends_.push_back(text_.size());
      table_[place] = static_cast<std::uint32_t>(size() - 1);
    }
    return table_[place];
  }

  /// Returns the number of a name, or 0 if the name is not known.
  std::uint32_t find(std::string_view name) const {
    return name.empty() || table_.empty() ? 0 : table_[place_of(name)];
  }

  /// Returns the name with this number. The view is valid until the next `add`.
  std::string_view operator[](std::uint32_t number) const {
    if (number == 0) return {};
    std::size_t const begin = ends_[number - 1];
    return std::string_view(text_).substr(begin, ends_[number] - begin);
  }

  /// One more than the greatest number.
  std::size_t size() const noexcept { return ends_.size(); }

 private:
  std::size_t place_of(std::string_view name) const {
    std::size_t const mask = table_.size() - 1;
    std::size_t place = std::hash<std::string_view>()(name) & mask;
    while (table_[place] != 0 && (*this)[table_[place]] != name) place = (place + 1) & mask;
    return place;
  }

  void grow() {
    constexpr std::size_t least = 64;
    table_.assign(std::max(least, 2 * table_.size()), 0);
    for (std::uint32_t number = 1; number < size(); ++number) table_[place_of((*this)[number])] = number;
  }

  std::string text_;
  std::vector<std::uint64_t> ends_{0};
  std::vector<std::uint32_t> table_; ///< numbers by hash; 0: free
};

}}}
