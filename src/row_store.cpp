// SPDX-License-Identifier: MIT
#include <sessionkit/impl/row_store.ipp>
