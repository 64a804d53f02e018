// SPDX-License-Identifier: MIT
// Formats all texts of the library; no other file of the library uses {fmt}.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>

/// Define this for a program that cannot have {fmt}, where `<sessionkit/src.hpp>` or
/// `<sessionkit/src_core.hpp>` is included. CMake's `SESSIONKIT_WITH_FMT=OFF` defines it. The texts are the
/// same.
#if defined(SESSIONKIT_WITHOUT_FMT)
#include <sessionkit/detail/base/small_format.hpp>
#else
#include <fmt/args.h>
#include <fmt/core.h>
#endif

namespace sessionkit { inline namespace v0 { namespace detail {

#if defined(SESSIONKIT_WITHOUT_FMT)
std::string format_values(std::string_view pattern, FormatValue const* values, std::size_t count) {
  return SmallFormat(values, count)(pattern);
}
#else
std::string format_values(std::string_view pattern, FormatValue const* values, std::size_t count) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  store.reserve(count, 0);
  for (FormatValue const* value = values; value != values + count; ++value) {
    switch (value->kind) {
    case FormatValue::Kind::text:
      store.push_back(fmt::string_view(value->text.data(), value->text.size()));
      break;
    case FormatValue::Kind::signed_number: store.push_back(static_cast<std::int64_t>(value->number)); break;
    case FormatValue::Kind::unsigned_number: store.push_back(value->number); break;
    }
  }
  return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), store);
}
#endif

}}}
