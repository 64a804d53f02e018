// SPDX-License-Identifier: MIT
#include <sessionkit/sqlite/detail/database-inl.hpp>
