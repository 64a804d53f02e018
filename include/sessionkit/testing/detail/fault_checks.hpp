// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/testing/detail/trial.hpp>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

/// Adds the checks of the tier `fault`.
void add_fault_checks(std::vector<Check>& all);

}}}
