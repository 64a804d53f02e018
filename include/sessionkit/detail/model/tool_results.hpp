// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Splits a message as the dialects of entries need it: each tool result is alone in a message of role tool.
std::vector<Message> split_tool_results(Message const& message);

/// True if it has nothing but tool results.
bool is_only_results(Message const& message) noexcept;

/// True if the model goes on by itself after this message: it is an answer with calls, or their results.
bool is_in_loop(Message const& message) noexcept;

/// Puts the results of `more` after those of `message`, for dialects that join them. Returns the names of the
/// members of `more.metadata` that are lost because they are there already with another value; times are not
/// reported.
std::vector<std::string> join_results(Message& message, Message more);

}}}
