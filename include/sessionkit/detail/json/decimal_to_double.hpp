// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json_decimal.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A natural number of any size.
class BigNumber {
 public:
  /// The number of bits without leading zeros.
  std::size_t size() const noexcept {
    if (words_.empty()) return 0;
    std::size_t bits = words_.size() * 32;
    for (std::uint32_t top = words_.back(); (top & 0x8000'0000U) == 0; top <<= 1) --bits;
    return bits;
  }
  bool bit(std::size_t at) const noexcept { return (words_[at / 32] >> (at % 32) & 1) != 0; }
  /// True if one of the bits below `end` is set.
  bool has_bits_below(std::size_t end) const noexcept {
    for (std::size_t at = 0; at < end; ++at)
      if (bit(at)) return true;
    return false;
  }

  void multiply_and_add(std::uint32_t factor, std::uint32_t summand) {
    std::uint64_t carry = summand;
    for (std::uint32_t& word : words_) {
      carry += std::uint64_t{word} * factor;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words_.push_back(static_cast<std::uint32_t>(carry));
  }
  /// False if there is a remainder, which is lost.
  bool divide(std::uint32_t divisor) noexcept {
    std::uint64_t rest = 0;
    for (std::size_t i = words_.size(); i-- > 0;) {
      rest = rest << 32 | words_[i];
      words_[i] = static_cast<std::uint32_t>(rest / divisor);
      rest %= divisor;
    }
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
    return rest == 0;
  }
  /// Multiplies by 2 to the power of 32 * `count`.
  void add_words(std::size_t count) { words_.insert(words_.begin(), count, 0); }

 private:
  std::vector<std::uint32_t> words_; // least significant first, without leading zeros
};

/// `number`, plus something less than 1 if `more`, times 2 to the power of `exponent`: rounded to the nearest
/// double, and halves to even.
inline double nearest_double(BigNumber const& number, bool more, int exponent) noexcept {
  int const size = static_cast<int>(number.size());
  int const smallest = -1074;                                     // the exponent of the last bit of a double
  int const drop = std::max({size - 53, smallest - exponent, 0}); // bits that the double has no place for
  if (drop > size) return 0;
  std::uint64_t digits = 0;
  for (int at = size; at-- > drop;) digits = digits << 1 | (number.bit(static_cast<std::size_t>(at)) ? 1 : 0);
  if (drop > 0) {
    auto const half = static_cast<std::size_t>(drop - 1);
    bool const above = more || number.has_bits_below(half) || (digits & 1) != 0;
    if (number.bit(half) && above) ++digits;
  }
  return std::ldexp(static_cast<double>(digits), exponent + drop);
}

/// The nearest double, as `std::from_chars` finds it, for standard libraries that lack this function. Absent
/// if the value is beyond the greatest double.
inline std::optional<double> decimal_to_double(Decimal const& number) {
  constexpr std::int64_t most_digits = 800; // later ones only say whether a number is above a half
  auto const size = static_cast<std::int64_t>(number.size());
  std::int64_t first = 0;
  while (first < size && number.digit(static_cast<std::size_t>(first)) == 0) ++first;
  std::int64_t const point = number.point - first;
  if (first == size || point < -330) return number.negative ? -0.0 : 0.0;
  if (point > 310) return std::nullopt;

  BigNumber digits;
  bool more = false;
  std::int64_t power = number.point - size; // of ten
  for (std::int64_t i = first; i < size; ++i) {
    unsigned const digit = number.digit(static_cast<std::size_t>(i));
    if (i - first < most_digits)
      digits.multiply_and_add(10, digit);
    else {
      more = more || digit != 0;
      ++power;
    }
  }
  for (; power > 0; --power) digits.multiply_and_add(10, 0);
  int exponent = static_cast<int>(power); // of two; the powers of five follow
  if (power < 0) {
    auto const words = static_cast<std::size_t>(-power) * 3 / 32 + 4; // five has less than three bits
    digits.add_words(words);
    exponent -= static_cast<int>(words) * 32;
  }
  for (; power < 0; ++power) more = !digits.divide(5) || more;
  double const value = nearest_double(digits, more, exponent);
  if (std::isinf(value)) return std::nullopt;
  return number.negative ? -value : value;
}

}}}
