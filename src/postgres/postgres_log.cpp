// SPDX-License-Identifier: MIT
#include <sessionkit/postgres/detail/postgres_log-inl.hpp>
