// SPDX-License-Identifier: MIT
#include <sessionkit/sqlite/impl/schema.ipp>
