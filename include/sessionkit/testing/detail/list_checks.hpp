// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/testing/detail/trial.hpp>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

/// Adds the checks of lists in the tier `contract`.
void add_list_checks(std::vector<Check>& all);

}}}
