// SPDX-License-Identifier: MIT
#include <sessionkit/sqlite/detail/sqlite_store-inl.hpp>
