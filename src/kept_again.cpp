// SPDX-License-Identifier: MIT
#include <sessionkit/impl/kept_again.ipp>
