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

/// True if the model continues by itself after this message: the message is an answer with tool calls, or has
/// only tool results.
bool is_in_loop(Message const& message) noexcept;

/// Appends the results of `more` to the results of `message`, for dialects that store results together. A
/// member of `more.metadata` is lost if `message` has another value for it. Returns the names of the lost
/// members, but never that of the time.
std::vector<std::string> join_results(Message& message, Message more);

}}}
