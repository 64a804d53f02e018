// SPDX-License-Identifier: MIT
#include <sessionkit/impl/retention.ipp>
