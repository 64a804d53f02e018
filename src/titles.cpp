// SPDX-License-Identifier: MIT
#include <sessionkit/impl/titles.ipp>
