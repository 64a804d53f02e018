// SPDX-License-Identifier: MIT
#include <sessionkit/postgres/detail/schema-inl.hpp>
