// SPDX-License-Identifier: MIT
// Makes a message of the result of a tool that an MCP server ran.
#pragma once
#include <sessionkit/message.hpp>

#include <nlohmann/json.hpp>

namespace adapters {

/// The message to store for the `result` member of the response to `tools/call` (`CallToolResult` of the
/// specification 2025-06-18). Texts, texts of resources and images become pieces of the result. Other content
/// is kept, but no provider gets it. If there is no content, `structuredContent` becomes the text.
sessionkit::Message from_mcp(sessionkit::ToolUse const& call, nlohmann::ordered_json const& result);

/// The message for a call that failed before the tool ran, for example because the server answered an
/// `error`.
sessionkit::Message mcp_failure(sessionkit::ToolUse const& call, std::string const& message);

}
