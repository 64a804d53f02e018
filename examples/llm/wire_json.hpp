// SPDX-License-Identifier: MIT
// What the wire formats share: reading JSON of strangers without exceptions, and what an error object means.
#pragma once
#include "provider.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace llm {

using Json = nlohmann::ordered_json;

/// Nothing if the text is not JSON.
std::optional<Json> parse_json(std::string_view text);

/// The member, or null where there is none or `json` is no object.
Json const& member(Json const& json, char const* name);
/// The member's text; empty where it is not a string.
std::string_view text_of(Json const& json, char const* name);
/// The member's number; 0 where it is none.
std::uint64_t count_of(Json const& json, char const* name);

/// What an error object says (`{"type": …, "code": …, "message": …}`), sent with a status or, with status 0,
/// in the middle of a stream.
Failure to_failure(Json const& error, int status);

}
