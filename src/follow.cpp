// SPDX-License-Identifier: MIT
#include <sessionkit/detail/upkeep/follow-inl.hpp>
