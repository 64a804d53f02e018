// SPDX-License-Identifier: MIT
#include <sessionkit/impl/error.ipp>
