// SPDX-License-Identifier: MIT
// Makes errors that have a sentence.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

Error make_error_of(Errc code, int system, char const* pattern, FormatValue const* values,
                    std::size_t count) {
  return Error{code, system, format_values(pattern, values, count)};
}

}}}
