// SPDX-License-Identifier: MIT
#include <sessionkit/detail/upkeep/retention-inl.hpp>
