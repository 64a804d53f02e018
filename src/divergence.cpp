// SPDX-License-Identifier: MIT
#include <sessionkit/impl/divergence.ipp>
