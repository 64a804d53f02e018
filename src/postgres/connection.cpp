// SPDX-License-Identifier: MIT
#include <sessionkit/postgres/impl/connection.ipp>
