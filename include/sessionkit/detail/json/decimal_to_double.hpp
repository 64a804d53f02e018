// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json_decimal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A natural number that is large enough to convert a decimal to a double. 800 digits take 84 words, and the
/// powers of five take 109 more.
class BigNumber {
 public:
  /// The number of bits without leading zeros.
  std::size_t size() const noexcept {
    if (count_ == 0) return 0;
    std::size_t bits = count_ * 32;
    for (std::uint32_t top = words_[count_ - 1]; (top & 0x8000'0000U) == 0; top <<= 1) --bits;
    return bits;
  }
  bool bit(std::size_t at) const noexcept { return (words_[at / 32] >> (at % 32) & 1) != 0; }
  /// True if one of the bits below `end` is set.
  bool has_bits_below(std::size_t end) const noexcept {
    for (std::size_t at = 0; at < end; ++at)
      if (bit(at)) return true;
    return false;
  }

  void multiply_and_add(std::uint32_t factor, std::uint32_t summand) noexcept {
    std::uint64_t carry = summand;
    for (std::size_t i = 0; i < count_; ++i) {
      carry += std::uint64_t{words_[i]} * factor;
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words_[count_++] = static_cast<std::uint32_t>(carry);
  }
  /// Divides by `divisor`. False if there is a remainder; the remainder is lost.
  bool divide(std::uint32_t divisor) noexcept {
    std::uint64_t rest = 0;
    for (std::size_t i = count_; i-- > 0;) {
      rest = rest << 32 | words_[i];
      words_[i] = static_cast<std::uint32_t>(rest / divisor);
      rest %= divisor;
    }
    while (count_ > 0 && words_[count_ - 1] == 0) --count_;
    return rest == 0;
  }
  /// Multiplies by 2 to the power of 32 * `count`.
  void add_words(std::size_t count) noexcept {
    auto const end = words_.begin() + static_cast<std::ptrdiff_t>(count_);
    std::copy_backward(words_.begin(), end, end + static_cast<std::ptrdiff_t>(count));
    std::fill_n(words_.begin(), count, 0U);
    count_ += count;
  }

 private:
  std::array<std::uint32_t, 200> words_{}; // least significant first
  std::size_t count_ = 0;                  // how many words are used, without leading zeros
};

/// Returns `number` times 2 to the power of `exponent`, rounded to the nearest double. If `more` is true, the
/// number is larger than `number` by something less than 1. A value halfway between two doubles is rounded to
/// the even one.
inline double nearest_double(BigNumber const& number, bool more, int exponent) noexcept {
  int const size = static_cast<int>(number.size());
  int const smallest = -1074;                                     // the exponent of the last bit of a double
  int const drop = std::max({size - 53, smallest - exponent, 0}); // bits that do not fit into the double
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

/// Returns the nearest double, as `std::from_chars` does. This function serves standard libraries that lack
/// `std::from_chars` for doubles. Absent if the value is beyond the greatest double.
inline std::optional<double> decimal_to_double(Decimal const& number) noexcept {
  constexpr std::int64_t most_digits = 800; // later digits only say whether the number is above a half
  auto const size = static_cast<std::int64_t>(number.size());
  std::int64_t first = 0;
  while (first < size && number.digit(static_cast<std::size_t>(first)) == 0) ++first;
  std::int64_t const point = number.point - first;
  if (first == size || point < -323) return number.negative ? -0.0 : 0.0;
  if (point > 309) return std::nullopt;

  BigNumber digits;
  bool more = false;
  std::int64_t power = number.point - size; // the power of ten
  for (std::int64_t i = first; i < size; ++i) {
    unsigned const digit = number.digit(static_cast<std::size_t>(i));
    if (i - first < most_digits)
      digits.multiply_and_add(10, digit);
    else {
      more = more || digit != 0;
      ++power;
    }
  }
  for (; power >= 9; power -= 9) digits.multiply_and_add(1'000'000'000, 0);
  for (; power > 0; --power) digits.multiply_and_add(10, 0);
  int exponent = static_cast<int>(power); // the power of two; the powers of five follow below
  if (power < 0) {
    auto const words = static_cast<std::size_t>(-power) * 3 / 32 + 4; // a five has less than three bits
    digits.add_words(words);
    exponent -= static_cast<int>(words) * 32;
  }
  constexpr std::uint32_t thirteenth = 1'220'703'125; // the 13th power of five
  for (; power <= -13; power += 13) more = !digits.divide(thirteenth) || more;
  for (; power < 0; ++power) more = !digits.divide(5) || more;
  double const value = nearest_double(digits, more, exponent);
  if (std::isinf(value)) return std::nullopt;
  return number.negative ? -value : value;
}

}}}
