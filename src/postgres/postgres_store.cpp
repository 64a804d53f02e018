// SPDX-License-Identifier: MIT
#include <sessionkit/postgres/detail/postgres_store-inl.hpp>
