// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/testing/detail/trial.hpp>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

/// Adds the checks in the tier `contract` that compare a store with a simple model of a store.
void add_model_checks(std::vector<Check>& all);

}}}
