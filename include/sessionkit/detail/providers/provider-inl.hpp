// SPDX-License-Identifier: MIT
// Finds a provider by its name, and encodes a history for that provider.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/history/tool_names.hpp>
#include <sessionkit/detail/model/blob_refs.hpp>
#include <sessionkit/detail/providers/provider_anthropic.hpp>
#include <sessionkit/detail/providers/provider_encoders.hpp>
#include <sessionkit/detail/providers/provider_gemini.hpp>
#include <sessionkit/detail/providers/provider_native.hpp>
#include <sessionkit/detail/providers/provider_openai.hpp>
#include <sessionkit/detail/providers/provider_responses.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

namespace sessionkit { inline namespace v0 {

namespace provider_inl { namespace {

struct ProviderEncoder {
  Provider provider;
  std::string_view name;
  RequestMembers members;
  void (*encode)(History const&, Target const&, RequestParts&);
};
constexpr std::array<ProviderEncoder, 5> encoders{
    {{Provider::anthropic, "anthropic", {"system", "messages"}, detail::encode_anthropic},
     {Provider::openai_chat, "openai-chat", {"", "messages"}, detail::encode_openai_chat},
     {Provider::openai_responses,
      "openai-responses",
      {"instructions", "input"},
      detail::encode_openai_responses},
     {Provider::gemini, "gemini", {"systemInstruction", "contents"}, detail::encode_gemini},
     {Provider::native, "native", {"system", "messages"}, detail::encode_native_history}}};

SESSIONKIT_SELDOM History without_blob_refs(History history) {
  for (Message& message : history.messages) detail::replace_blob_refs(message);
  return history;
}

}}

RequestParts encode(History const& history, Target const& target) {
  auto const& said = history.messages;
  if (std::any_of(said.begin(), said.end(), detail::has_blob_refs)) // a host made it, not a rebuild
    return encode(provider_inl::without_blob_refs(history), target);
  RequestParts out{"null", {}, history.reasoning_must_be_off};
  out.messages.reserve(detail::encoded_size(history));
  out.messages += '[';
  for (provider_inl::ProviderEncoder const& encoder : provider_inl::encoders)
    if (encoder.provider == target.provider) encoder.encode(history, target, out);
  out.messages += ']';
  return out;
}

RequestMembers request_members(Provider provider) noexcept {
  for (provider_inl::ProviderEncoder const& encoder : provider_inl::encoders)
    if (encoder.provider == provider) return encoder.members;
  return {};
}

std::string sent_tool_name(Target const& target, std::string_view name) {
  detail::ProviderRules const rules = detail::rules_of(target);
  return rules.name_limit == 0 ? std::string(name) : detail::fitting_name(rules, name);
}

std::string host_tool_name(Target const& target, std::string_view sent) {
  detail::ProviderRules const rules = detail::rules_of(target);
  return rules.name_limit == 0 ? std::string(sent) : detail::original_name(rules, sent);
}

Result<Provider> parse_provider(std::string_view name) {
  std::string known;
  for (provider_inl::ProviderEncoder const& encoder : provider_inl::encoders) {
    if (detail::same_name(encoder.name, name)) return encoder.provider;
    known += known.empty() ? "" : ", ";
    known += encoder.name;
  }
  return detail::make_error(Errc::invalid_argument, "no provider {}; there are {}",
                            detail::printable(name, 40), known);
}

}}
