// SPDX-License-Identifier: MIT
#include <sessionkit/impl/convert.ipp>
