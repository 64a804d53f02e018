// SPDX-License-Identifier: MIT
#include <sessionkit/detail/store/freshness-inl.hpp>
