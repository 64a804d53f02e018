// SPDX-License-Identifier: MIT
// Defines the demands of each provider on the parts of a message, as one constant per provider.
#pragma once
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/history/provider_rules.hpp>
#include <sessionkit/detail/json/whitespace.hpp>
#include <sessionkit/detail/model/reasoning_item.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace provider_rules_inl { namespace {

// Google's APIs read signatures as bytes, so they must be base64, of either alphabet.
bool is_gemini_signature(std::string_view signature) noexcept {
  std::string_view const data = base64_digits(signature);
  return !data.empty() && std::all_of(data.begin(), data.end(), [](char c) {
    return is_name_byte(c) || c == '+' || c == '/';
  });
}

constexpr ProviderRules make_anthropic_rules() noexcept {
  ProviderRules rules;
  rules.api = "anthropic-messages";
  rules.vendor = "anthropic";
  rules.thinking = ProviderRules::with_signature;
  rules.user_first = true;
  rules.id_limit = 64;
  rules.name_limit = 128;
  rules.https_images = true;
  rules.text_errors = true;
  rules.summary_in_system = true;
  rules.images = ImageFormats::web;
  rules.object_inputs = true;
  return rules;
}

constexpr ProviderRules make_openai_rules() noexcept {
  ProviderRules rules;
  rules.vendor = "openai";
  rules.name_limit = 64;
  rules.summary_in_system = true;
  rules.empty_results = false;
  rules.images = ImageFormats::web;
  rules.object_inputs = true;
  return rules;
}

constexpr ProviderRules make_openai_chat_rules() noexcept {
  ProviderRules rules = make_openai_rules();
  rules.api = "openai-completions";
  rules.thinking = ProviderRules::never;
  rules.id_limit = 40;
  return rules;
}

constexpr ProviderRules make_openai_responses_rules() noexcept {
  ProviderRules rules = make_openai_rules();
  rules.api = "openai-responses";
  rules.thinking = ProviderRules::with_signature;
  rules.signs_thinking = [](Thinking const& thinking) {
    return !thinking.redacted && reasoning_item(thinking.signature).has_value();
  };
  rules.signs_text = [](std::string_view) { return true; };
  rules.reasoning_items = true;
  rules.id_limit = 64;
  rules.id_end = '|'; // pi writes the item's own id after it
  return rules;
}

constexpr ProviderRules make_gemini_rules() noexcept {
  ProviderRules rules;
  rules.api = "google-generative-ai";
  rules.vendor = "google";
  rules.thinking = ProviderRules::with_signature;
  rules.signs_thinking = [](Thinking const& thinking) {
    return !thinking.redacted && !is_blank(thinking.text) && is_gemini_signature(thinking.signature);
  };
  rules.signs_text = is_gemini_signature;
  rules.signs_call = is_gemini_signature;
  rules.first_call_signed = true;
  rules.user_first = true;
  rules.signed_blanks = true;
  rules.https_images = true;
  rules.name_limit = 64;
  rules.name_extra = ".:";
  rules.name_starts_with_letter = true;
  rules.summary_in_system = true;
  rules.images = ImageFormats::gemini;
  rules.object_inputs = true;
  return rules;
}

constexpr ProviderRules make_native_rules() noexcept {
  ProviderRules rules;
  rules.user_first = true;
  return rules;
}

constexpr ImageFormats image_formats(ServerImages images) noexcept {
  switch (images) {
  case ServerImages::none: return ImageFormats::none;
  case ServerImages::embedded: return ImageFormats::embedded;
  case ServerImages::any: break;
  }
  return ImageFormats::web;
}

constexpr ProviderRules anthropic_rules = make_anthropic_rules();
constexpr ProviderRules openai_chat_rules = make_openai_chat_rules();
constexpr ProviderRules openai_responses_rules = make_openai_responses_rules();
constexpr ProviderRules gemini_rules = make_gemini_rules();
constexpr ProviderRules native_rules = make_native_rules();

}}

std::string_view base64_digits(std::string_view data) noexcept {
  if (data.size() % 4 != 0) return {};
  for (int i = 0; i < 2 && !data.empty() && data.back() == '='; ++i) data.remove_suffix(1);
  return data;
}

ProviderRules const& rules_of(Provider provider) noexcept {
  switch (provider) {
  case Provider::anthropic: return provider_rules_inl::anthropic_rules;
  case Provider::openai_chat: return provider_rules_inl::openai_chat_rules;
  case Provider::openai_responses: return provider_rules_inl::openai_responses_rules;
  case Provider::gemini: return provider_rules_inl::gemini_rules;
  case Provider::native: break;
  }
  return provider_rules_inl::native_rules;
}

ProviderRules rules_of(Target const& target) noexcept {
  ProviderRules rules = rules_of(target.provider);
  if (target.provider != Provider::openai_chat) return rules;
  ServerRules const& server = target.server;
  rules.plain_thinking = server.reasoning_content;
  if (server.reasoning_content) rules.thinking = ProviderRules::with_signature;
  rules.id_length = server.id_length;
  if (server.dots_in_names) rules.name_extra = ".";
  rules.name_limit = server.max_name_length;
  rules.images = provider_rules_inl::image_formats(server.images);
  rules.own_blocks = server.files;
  rules.result_images = rules.user_after_tool = server.user_after_tool;
  rules.user_first = server.user_first;
  return rules;
}

}}}
