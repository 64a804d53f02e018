// SPDX-License-Identifier: MIT
#include <sessionkit/postgres/detail/pool-inl.hpp>
