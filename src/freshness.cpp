// SPDX-License-Identifier: MIT
#include <sessionkit/impl/freshness.ipp>
