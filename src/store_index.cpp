// SPDX-License-Identifier: MIT
#include <sessionkit/impl/store_index.ipp>
