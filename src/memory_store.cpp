// SPDX-License-Identifier: MIT
#include <sessionkit/impl/memory_store.ipp>
