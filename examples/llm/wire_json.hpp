// SPDX-License-Identifier: MIT
// Shared by the wire formats: reading untrusted JSON without exceptions.
#pragma once
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

}
