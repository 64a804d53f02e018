// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <type_traits>
#include <variant>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Does the same as `std::visit` with one variant, but the compiler needs only a fraction of the time and
/// memory. The variant must contain a value.
template <std::size_t Index = 0, class Visitor, class Variant>
constexpr decltype(auto) visit(Visitor&& visitor, Variant& variant) {
  if constexpr (Index + 1 < std::variant_size_v<std::remove_const_t<Variant>>) {
    if (variant.index() != Index) return detail::visit<Index + 1>(visitor, variant);
  }
  return visitor(*std::get_if<Index>(&variant));
}

}}}
