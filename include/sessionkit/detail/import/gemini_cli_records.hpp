// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/import.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True for the beginning of a file of Gemini CLI: `sessionId` and `projectHash` are members of the document,
/// or of one of the first 20 lines. If `session` is not null, it receives the id.
bool begins_gemini_cli(std::string_view begin, std::string* session = nullptr);

/// Calls `use` with each record of a file: with each line of a log, or with a whole document. If a document
/// is damaged, the records are the members before the damage that describe the session, and then each message
/// that is whole.
void each_gemini_record(std::string_view text, ImportLimits const& limits, std::vector<Damage>& damage,
                        std::function<void(ForeignLine const&)> const& use);

}}}
