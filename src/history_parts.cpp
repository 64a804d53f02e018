// SPDX-License-Identifier: MIT
#include <sessionkit/detail/history/history_parts-inl.hpp>
