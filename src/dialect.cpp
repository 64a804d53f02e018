// SPDX-License-Identifier: MIT
#include <sessionkit/impl/dialect.ipp>
