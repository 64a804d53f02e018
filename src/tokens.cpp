// SPDX-License-Identifier: MIT
#include <sessionkit/impl/tokens.ipp>
