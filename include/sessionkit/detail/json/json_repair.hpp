// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns JSON that any reader accepts: lone surrogates and invalid bytes become U+FFFD, and numbers beyond
/// the range of a double become null. Absent if there is nothing to repair.
std::optional<std::string> repaired_json(std::string const& json);

/// Returns the same JSON without repeated keys: of several members with one name, only the last one stays.
/// Absent if no key is repeated.
std::optional<std::string> without_repeated_keys(std::string const& json);

}}}
