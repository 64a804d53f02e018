// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// JSON that any reader accepts: lone surrogates and bytes that are no UTF-8 become U+FFFD, numbers that no
/// double can hold become null. Absent if there is nothing to repair.
std::optional<std::string> repaired_json(std::string const& json);

/// The same JSON in which each object has a member once, the last of its name. Nothing where it is so
/// already.
std::optional<std::string> without_repeated_keys(std::string const& json);

}}}
