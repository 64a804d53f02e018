// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/import.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The format belongs to no program, so the wording is this library's own.
inline constexpr Profile atif_profile = imported_profile("atif", {});

}}}
