// SPDX-License-Identifier: MIT
#include <sessionkit/impl/content.ipp>
