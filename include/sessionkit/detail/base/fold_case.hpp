// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the small letter of a capital letter of the Latin, Greek or Cyrillic alphabet, if both letters
/// have the same length in UTF-8. Returns any other code point unchanged.
SESSIONKIT_API char32_t small_letter_of(char32_t c) noexcept;
/// Returns the capital letter whose small letter is `c`, or `c` if there is none. No letter has two capital
/// letters.
SESSIONKIT_API char32_t capital_letter_of(char32_t c) noexcept;

/// Returns a UTF-8 text with each letter replaced by `change(letter)`. `change` is `small_letter_of` or
/// `capital_letter_of`. The lengths of letters stay the same. Bytes that are not UTF-8 are kept.
SESSIONKIT_API std::string change_letters(std::string_view text, char32_t (*change)(char32_t) noexcept);

}}}
