// SPDX-License-Identifier: MIT
#include <sessionkit/sqlite/detail/sqlite_log-inl.hpp>
