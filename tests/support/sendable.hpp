// SPDX-License-Identifier: MIT
// Which prefixes of a conversation a host may send, and when one request extends another.
#pragma once
#include <sessionkit/entry.hpp>
#include <sessionkit/provider.hpp>

#include <set>
#include <string>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

/// All providers whose requests are checked.
inline constexpr sk::Provider request_providers[] = {sk::Provider::anthropic, sk::Provider::openai_chat,
                                                     sk::Provider::openai_responses, sk::Provider::gemini};

inline bool has_words(std::string const& text) {
  return text.find_first_not_of(" \n\r\t\v\f\xC2\xA0\xE2\x80\xA8\xE3\x80\x80\x85") != std::string::npos;
}

/// Text or an image that is sent as the user's.
inline bool speaks_as_user(sk::Entry const& entry) {
  if (auto const* custom = entry.as<sk::CustomMessage>()) {
    if (!custom->in_context) return false;
    for (sk::ToolContent const& piece : custom->content)
      if (auto const* text = std::get_if<sk::Text>(&piece); text && has_words(text->text)) return true;
    return false;
  }
  if (auto const* branch = entry.as<sk::BranchSummary>()) return has_words(branch->summary);
  auto const* message = entry.as<sk::Message>();
  if (!message || message->role != sk::Role::user) return false;
  for (sk::Part const& part : message->parts) {
    if (std::holds_alternative<sk::Image>(part)) return true;
    if (auto const* text = std::get_if<sk::Text>(&part); text && has_words(text->text)) return true;
  }
  return false;
}

/// Whether the first `n` entries end with a user message, or with results of all calls that the assistant
/// made since anybody else spoke.
inline bool is_sendable(std::vector<sk::Entry> const& path, std::size_t n) {
  if (n == 0) return false;
  if (speaks_as_user(path[n - 1])) return true;
  std::multiset<std::string> results, calls;
  std::size_t i = n;
  for (; i-- > 0;) {
    auto const* message = path[i].as<sk::Message>();
    if (!message || message->role == sk::Role::assistant || message->role == sk::Role::system) break;
    for (sk::Part const& part : message->parts) {
      auto const* result = std::get_if<sk::ToolResult>(&part);
      if (!result) return false;
      results.insert(result->tool_use_id);
    }
  }
  for (++i; i-- > 0;) {
    auto const* message = path[i].as<sk::Message>();
    if (!message || message->role != sk::Role::assistant) break;
    if (message->generation && message->generation->stop == sk::StopReason::error) return false;
    for (sk::ToolUse const* call : message->tool_uses()) calls.insert(call->id);
  }
  for (std::string const& call : calls)
    if (results.count(call) < calls.count(call)) return false;
  return !calls.empty();
}

/// Whether one request's messages begin with all bytes of another's but its closing brackets. If content is a
/// string, another text may follow in it after an empty line.
inline bool extends(std::string const& longer, std::string_view shorter) {
  constexpr std::string_view end_of_string = "\"}]", next_text = R"(\n\n)";
  if (shorter.size() >= end_of_string.size()
      && shorter.substr(shorter.size() - end_of_string.size()) == end_of_string) {
    std::string_view const open = shorter.substr(0, shorter.size() - end_of_string.size());
    if (longer.compare(0, open.size(), open) == 0
        && longer.compare(open.size(), next_text.size(), next_text) == 0)
      return true;
  }
  while (!shorter.empty() && (shorter.back() == ']' || shorter.back() == '}')) shorter.remove_suffix(1);
  return longer.compare(0, shorter.size(), shorter) == 0;
}

}
