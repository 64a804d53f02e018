// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/error.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// An error of this kind, `system` and sentence: `pattern` with its `{}` replaced by the values in order. The
/// only place that makes one with a sentence: a call site compiles to an array and a call, apart from the
/// code that runs.
SESSIONKIT_COLD SESSIONKIT_API Error make_error_of(Errc, int system, char const* pattern,
                                                   FormatValue const* values, std::size_t count);

/// The same of values as they come: strings and integers.
template <class... Values>
Error make_error(Errc code, int system, char const* pattern, Values const&... values) {
  FormatValue const all[sizeof...(Values) + 1] = {FormatValue(values)..., FormatValue(std::string_view())};
  return make_error_of(code, system, pattern, all, sizeof...(Values));
}

/// The same where the system said nothing.
template <class... Values> Error make_error(Errc code, char const* pattern, Values const&... values) {
  return make_error(code, 0, pattern, values...);
}

}}}
