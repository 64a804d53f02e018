// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/testing/detail/trial.hpp>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

/// Those of lists.
void add_list_checks(std::vector<Check>& all);

}}}
