// SPDX-License-Identifier: MIT
#include "wire_json.hpp"

#include <sessionkit/json.hpp>

#include <algorithm>
#include <utility>

namespace llm {

namespace {

struct Meaning {
  std::string_view of;
  FailureKind kind;
};

// The meanings of `error.code` and `error.type`.
constexpr Meaning names[] = {
    {"context_length_exceeded", FailureKind::context_exceeded},
    {"exceed_context_size_error", FailureKind::context_exceeded}, // llama.cpp
    {"request_too_large", FailureKind::context_exceeded},
    {"overloaded_error", FailureKind::overloaded},
    {"rate_limit_error", FailureKind::rate_limited},
    {"rate_limit_exceeded", FailureKind::rate_limited},
    {"insufficient_quota", FailureKind::unauthorized}, // comes with status 429, but is permanent
    {"authentication_error", FailureKind::unauthorized},
    {"permission_error", FailureKind::unauthorized},
    {"api_error", FailureKind::unavailable},
    {"timeout_error", FailureKind::unavailable},
    {"server_error", FailureKind::unavailable},
};

// Providers report only in words that a history is too long.
constexpr Meaning words[] = {
    {"prompt is too long", FailureKind::context_exceeded},
    {"exceed context limit", FailureKind::context_exceeded},
    {"maximum context length", FailureKind::context_exceeded},
    {"context size", FailureKind::context_exceeded},
    {"context window", FailureKind::context_exceeded},
};

FailureKind meaning_of_status(int status) {
  if (status == 401 || status == 403) return FailureKind::unauthorized;
  if (status == 413) return FailureKind::context_exceeded;
  if (status == 429) return FailureKind::rate_limited;
  if (status == 529 || status == 503) return FailureKind::overloaded;
  if (status == 408 || status == 409 || status >= 500 || status == 0) return FailureKind::unavailable;
  return FailureKind::refused;
}

FailureKind meaning_of(Json const& error, int status) {
  for (auto const* const name : {"code", "type"})
    for (auto const& known : names)
      if (text_of(error, name) == known.of) return known.kind;
  if (status == 400 || status == 422)
    for (auto const& known : words)
      if (text_of(error, "message").find(known.of) != std::string_view::npos) return known.kind;
  return text_of(error, "type") == "invalid_request_error" ? FailureKind::refused : meaning_of_status(status);
}

}

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

Failure to_failure(Json const& error, int status) {
  auto message = std::string(text_of(error, "message"));
  if (message.empty()) message = text_of(error, "type");
  if (message.empty() && error.is_string()) message = error.get<std::string>();
  if (message.empty()) message = "the provider answered with status " + std::to_string(status);
  return {meaning_of(error, status), std::move(message), status};
}

}
