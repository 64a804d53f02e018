// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

// The sentences with which pi gives a summary to the model (convertToLlm in its messages.ts), byte for byte.

/// Returns the text that gives the summary of a compaction to the model. If `prefix` is not empty, the text
/// is the prefix and the summary, as other programs write it.
inline std::string compaction_summary_text(std::string_view summary, std::string_view prefix = {}) {
  if (!prefix.empty()) return std::string(prefix).append(summary);
  std::string text =
      "The conversation history before this point was compacted into the following summary:\n\n<summary>\n";
  return text.append(summary).append("\n</summary>");
}

inline std::string branch_summary_text(std::string_view summary) {
  std::string text =
      "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n";
  return text.append(summary).append("</summary>");
}

}}}
