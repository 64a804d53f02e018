// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/draft.hpp>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::string_view missing_result_text = "[tool result missing: interrupted]";
inline constexpr std::string_view no_beginning_text = "[earlier conversation not available]";
inline constexpr std::string_view beginning_text = "[conversation begins]";
inline constexpr std::string_view no_answer_text = "[no answer]";
inline constexpr std::string_view summary_only_text = "[earlier conversation summarised]";

/// Applies the rules that look at more than one piece, in their order. Together they arrange the pieces as
/// messages.
void apply_structural_rules(Draft& draft);

/// Returns, for each call that has a result, the entry of the call and the entry of the result, as mode
/// `valid` pairs them. The values are indices in `Context::entries`.
std::vector<std::pair<std::size_t, std::size_t>> paired_entries(Context const& context);

}}}
