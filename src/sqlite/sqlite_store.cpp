// SPDX-License-Identifier: MIT
#include <sessionkit/sqlite/impl/sqlite_store.ipp>
