// SPDX-License-Identifier: MIT
#include <sessionkit/detail/upkeep/repair-inl.hpp>
