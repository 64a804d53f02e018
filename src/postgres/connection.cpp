// SPDX-License-Identifier: MIT
#include <sessionkit/postgres/detail/connection-inl.hpp>
