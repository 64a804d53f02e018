// SPDX-License-Identifier: MIT
#include <sessionkit/impl/repair.ipp>
