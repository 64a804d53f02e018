// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/draft.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The rules about reasoning and calls that models sign. Each is one of the structural rules.
void drop_repeated_thinking(Draft& draft, std::string_view name);
void drop_unfollowed_thinking(Draft& draft, std::string_view name);
void sign_first_calls(Draft& draft, std::string_view name);

}}}
