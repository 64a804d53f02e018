// SPDX-License-Identifier: MIT
#include <sessionkit/detail/upkeep/src.hpp>
