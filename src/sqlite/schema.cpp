// SPDX-License-Identifier: MIT
#include <sessionkit/sqlite/detail/schema-inl.hpp>
