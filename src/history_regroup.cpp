// SPDX-License-Identifier: MIT
#include <sessionkit/detail/history/history_regroup-inl.hpp>
