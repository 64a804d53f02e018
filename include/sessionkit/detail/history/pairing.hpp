// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/draft.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Links each call and its result, in time linear in the log (docs/history.md, "Which call does a result
/// answer?"). Drops the calls of failed answers, and their results with them. Drops a result that repeats
/// another result, and reports this under the rule `name`. A result that answers no call is left for another
/// rule.
void pair_results(Draft& draft, std::string_view name);

}}}
