// SPDX-License-Identifier: MIT
#include <sessionkit/sqlite/impl/database.ipp>
