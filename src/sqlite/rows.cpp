// SPDX-License-Identifier: MIT
#include <sessionkit/sqlite/impl/rows.ipp>
