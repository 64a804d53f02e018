// SPDX-License-Identifier: MIT
#include <sessionkit/impl/provider.ipp>
