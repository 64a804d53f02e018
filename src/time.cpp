// SPDX-License-Identifier: MIT
#include <sessionkit/impl/time.ipp>
