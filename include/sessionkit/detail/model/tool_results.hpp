// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Splits a message for dialects that store each tool result as an entry of its own. Each tool result becomes
/// a message of role `tool`.
std::vector<Message> split_tool_results(Message const& message);

/// True if the message has only tool results.
bool is_only_results(Message const& message) noexcept;

/// True if the model continues by itself after this message: it is an answer with calls, or their results.
bool is_in_loop(Message const& message) noexcept;

/// Appends the results of `more` to those of `message`, for dialects that store results together. Returns the
/// names of the members of `more.metadata` that are lost, because `message` has them with another value. Lost
/// times are not reported.
std::vector<std::string> join_results(Message& message, Message more);

}}}
