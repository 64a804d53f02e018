// SPDX-License-Identifier: MIT
#include <sessionkit/detail/upkeep/copy-inl.hpp>
