// SPDX-License-Identifier: MIT
#include <sessionkit/impl/blank.ipp>
