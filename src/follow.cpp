// SPDX-License-Identifier: MIT
#include <sessionkit/impl/follow.ipp>
