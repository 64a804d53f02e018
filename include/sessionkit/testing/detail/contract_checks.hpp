// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/testing/detail/trial.hpp>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

/// Adds the checks of the tier `contract`, except those of lists and those with a model.
void add_contract_checks(std::vector<Check>& all);

}}}
