// SPDX-License-Identifier: MIT
#include <sessionkit/postgres/impl/postgres_log.ipp>
