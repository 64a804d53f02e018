// SPDX-License-Identifier: MIT
#include <sessionkit/postgres/impl/schema.ipp>
