// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The small letter of a capital one of the Latin, Greek and Cyrillic alphabets, if both take as many bytes
/// in UTF-8. Any other code point is returned unchanged.
SESSIONKIT_API char32_t small_letter_of(char32_t c) noexcept;
/// The capital letter whose small letter is `c`. If there is none, `c`. No letter has two.
SESSIONKIT_API char32_t capital_letter_of(char32_t c) noexcept;

/// Replaces each letter of UTF-8 by `change(letter)`, which is `small_letter_of` or `capital_letter_of`. Each
/// byte keeps its place. Bytes that are not UTF-8 are kept.
SESSIONKIT_API std::string change_letters(std::string_view text, char32_t (*change)(char32_t) noexcept);

}}}
