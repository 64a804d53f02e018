// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/error.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Makes an error from a code, the number that the system gave to a failure (`system`), and a sentence. The
/// sentence is `pattern` with each `{}` replaced by the next value. Only this function makes errors with
/// sentences, so that a call site compiles to an array and a call. The compiler places the code of this
/// function apart from the code that usually runs.
SESSIONKIT_COLD SESSIONKIT_API Error make_error_of(Errc, int system, char const* pattern,
                                                   FormatValue const* values, std::size_t count);

/// Makes the same error from any number of strings and integers.
template <class... Values>
Error make_error(Errc code, int system, char const* pattern, Values const&... values) {
  FormatValue const all[sizeof...(Values) + 1] = {FormatValue(values)..., FormatValue(std::string_view())};
  return make_error_of(code, system, pattern, all, sizeof...(Values));
}

/// Makes the same error without a number of the system.
template <class... Values> Error make_error(Errc code, char const* pattern, Values const&... values) {
  return make_error(code, 0, pattern, values...);
}

}}}
