// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/testing/detail/trial.hpp>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

/// The checks in the tier `contract` that compare a store with a model.
void add_model_checks(std::vector<Check>& all);

}}}
