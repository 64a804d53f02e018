// SPDX-License-Identifier: MIT
#include <sessionkit/postgres/impl/pool.ipp>
