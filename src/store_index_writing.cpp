// SPDX-License-Identifier: MIT
#include <sessionkit/impl/store_index_writing.ipp>
