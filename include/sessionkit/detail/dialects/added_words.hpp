// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

// Most texts of a decoded entry are JSON strings of its line. Some messages of pi are decoded into sentences:
// a command of the user with its output, and summaries that pi stored as messages. A search that looks at
// lines before it decodes them must know the words that only the decoder adds.

/// The roles of such messages. The line of such a message contains one of these words, if the line has no
/// escapes.
inline constexpr std::array<std::string_view, 3> rewording_roles{"bashExecution", "branchSummary",
                                                                 "compactionSummary"};
/// The words that the decoder adds between the strings of such a line. `native_decode` and `summary_wording`
/// write these words.
inline constexpr std::array<std::string_view, 12> added_words{
    "Ran `",
    "`\n",
    "(no output)",
    "```\n",
    "\n```",
    "\n\n(command cancelled)",
    "\n\nCommand exited with code ",
    "\n\n[Output truncated. Full output: ",
    "]",
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "</summary>"};

}}}
