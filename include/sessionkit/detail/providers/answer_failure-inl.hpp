// SPDX-License-Identifier: MIT
// Recognises what a provider's error means for the host.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/providers/answer_decoder.hpp>
#include <sessionkit/detail/providers/answer_failure.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace answer_failure_inl { namespace {

struct Meaning {
  std::string_view of;
  FailureKind kind;
};

// What the members `code`, `type` and `status` of an error mean.
// Anthropic: https://docs.anthropic.com/en/api/errors
// OpenAI: https://platform.openai.com/docs/guides/error-codes
// Gemini: https://ai.google.dev/gemini-api/docs/troubleshooting
constexpr std::array<Meaning, 26> names{{
    {"context_length_exceeded", FailureKind::context_exceeded},
    {"exceed_context_size_error", FailureKind::context_exceeded}, // llama.cpp
    {"request_too_large", FailureKind::context_exceeded},
    {"overloaded_error", FailureKind::overloaded},
    {"UNAVAILABLE", FailureKind::overloaded},
    {"rate_limit_error", FailureKind::rate_limited},
    {"rate_limit_exceeded", FailureKind::rate_limited},
    {"RESOURCE_EXHAUSTED", FailureKind::rate_limited},
    {"insufficient_quota", FailureKind::unauthorized}, // comes with status 429, but is permanent
    {"billing_error", FailureKind::unauthorized},
    {"authentication_error", FailureKind::unauthorized},
    {"invalid_api_key", FailureKind::unauthorized},
    {"permission_error", FailureKind::unauthorized},
    {"PERMISSION_DENIED", FailureKind::unauthorized},
    {"UNAUTHENTICATED", FailureKind::unauthorized},
    {"api_error", FailureKind::unavailable},
    {"timeout_error", FailureKind::unavailable},
    {"server_error", FailureKind::unavailable},
    {"INTERNAL", FailureKind::unavailable},
    {"DEADLINE_EXCEEDED", FailureKind::unavailable},
    {"not_found_error", FailureKind::refused},
    {"NOT_FOUND", FailureKind::refused},
    {"FAILED_PRECONDITION", FailureKind::refused},
    {"model_not_found", FailureKind::refused},
    {"content_filter", FailureKind::refused},
    {"invalid_prompt", FailureKind::refused},
}};

// Most servers report only in words that a history is too long.
constexpr std::array<std::string_view, 9> too_long{
    {"prompt is too long", "exceed context limit", "maximum context length", "context size", "context window",
     "exceeds the maximum number of tokens", "exceeds the available context", "context length",
     "too large for model with"}};

FailureKind kind_of_status(int status) {
  if (status == 401 || status == 402 || status == 403) return FailureKind::unauthorized;
  if (status == 413) return FailureKind::context_exceeded;
  if (status == 429) return FailureKind::rate_limited;
  if (status == 529 || status == 503) return FailureKind::overloaded;
  if (status == 408 || status == 409 || status >= 500 || status == 0) return FailureKind::unavailable;
  return FailureKind::refused;
}

FailureKind kind_of(std::string_view error, std::string_view message, int status) {
  for (char const* const member : {"code", "type", "status"})
    for (Meaning const& known : names)
      if (detail::member_text(error, member) == known.of) return known.kind;
  std::string const type = detail::member_text(error, "type") + detail::member_text(error, "status");
  bool const invalid = type == "invalid_request_error" || type == "INVALID_ARGUMENT";
  bool const says_too_long = std::any_of(too_long.begin(), too_long.end(), [message](std::string_view words) {
    return message.find(words) != std::string_view::npos;
  });
  if (says_too_long && (invalid || status == 400 || status == 422)) return FailureKind::context_exceeded;
  return invalid ? FailureKind::refused : kind_of_status(status);
}

std::string type_of(std::string_view error) {
  for (char const* const member : {"type", "code", "status"})
    if (std::string text = detail::member_text(error, member); !text.empty()) return text;
  return {};
}

}}

char const* to_string(FailureKind kind) noexcept {
  switch (kind) {
  case FailureKind::cancelled: return "cancelled";
  case FailureKind::refused: return "refused";
  case FailureKind::context_exceeded: return "context_exceeded";
  case FailureKind::unauthorized: return "unauthorized";
  case FailureKind::rate_limited: return "rate_limited";
  case FailureKind::overloaded: return "overloaded";
  case FailureKind::unavailable: return "unavailable";
  case FailureKind::cut: return "cut";
  case FailureKind::malformed: return "malformed";
  }
  return "unknown";
}

namespace detail {

SESSIONKIT_SELDOM AnswerFailure failure_of(std::string_view error, int status) {
  std::string message = json_kind(error) == JsonKind::string ? to_text(error) : member_text(error, "message");
  std::string type = answer_failure_inl::type_of(error);
  if (message.empty()) message = type;
  if (message.empty()) message = format_text("the provider answered with status {}", status);
  FailureKind const kind = answer_failure_inl::kind_of(error, message, status);
  return {kind, std::move(message), std::move(type)};
}

}

// Gemini sends errors in an array if the request asked for a stream.
AnswerFailure decode_failure(int status, std::string_view body) {
  std::string_view text = detail::trim_space(body);
  if (!detail::check_json(text)) text = {};
  if (detail::json_kind(text) == detail::JsonKind::array)
    detail::for_elements(std::string_view(text), [&text](std::string_view first) {
      text = first;
      return false;
    });
  std::string_view const error = detail::member_value(text, "error");
  return detail::failure_of(error.empty() ? text : error, status);
}

}}
