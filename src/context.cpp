// SPDX-License-Identifier: MIT
#include <sessionkit/impl/context.ipp>
