// SPDX-License-Identifier: MIT
#include "wire_json.hpp"

#include <sessionkit/json.hpp>

namespace llm {

std::optional<Json> parse_json(std::string_view text) {
  auto const raw = sessionkit::RawJson::parse(std::string(text));
  if (!raw) return std::nullopt;
  return sessionkit::to_nlohmann(*raw);
}

Json const& member(Json const& json, char const* name) {
  static Json const none;
  auto const found = json.is_object() ? json.find(name) : json.end();
  return found == json.end() ? none : *found;
}

std::string_view text_of(Json const& json, char const* name) {
  auto const& value = member(json, name);
  return value.is_string() ? std::string_view(value.get_ref<std::string const&>()) : std::string_view();
}

std::uint64_t count_of(Json const& json, char const* name) {
  auto const& value = member(json, name);
  return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

}
