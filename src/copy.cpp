// SPDX-License-Identifier: MIT
#include <sessionkit/impl/copy.ipp>
