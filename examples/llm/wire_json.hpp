// SPDX-License-Identifier: MIT
// Shared by the wire formats: reading untrusted JSON without exceptions, and the meaning of error objects.
#pragma once
#include "provider.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace llm {

using Json = nlohmann::ordered_json;

/// Absent if the text is not JSON.
std::optional<Json> parse_json(std::string_view text);

/// The member, or null if there is none or `json` is not an object.
Json const& member(Json const& json, char const* name);
/// The member's text; empty if it is not a string.
std::string_view text_of(Json const& json, char const* name);
/// The member's number; 0 if it is not a number.
std::uint64_t count_of(Json const& json, char const* name);

/// The failure in an error object (`{"type": …, "code": …, "message": …}`), sent with a status or, with
/// status 0, in the middle of a stream.
Failure to_failure(Json const& error, int status);

}
