// SPDX-License-Identifier: MIT
#include <sessionkit/impl/flat_dialect.ipp>
