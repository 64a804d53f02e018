// SPDX-License-Identifier: MIT
#include <sessionkit/sqlite/detail/rows-inl.hpp>
