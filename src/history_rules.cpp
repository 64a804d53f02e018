// SPDX-License-Identifier: MIT
#include <sessionkit/detail/history/history_rules-inl.hpp>
