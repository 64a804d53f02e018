// SPDX-License-Identifier: MIT
#include <sessionkit/detail/history/history_policy-inl.hpp>
