// SPDX-License-Identifier: MIT
#include <sessionkit/impl/file_store.ipp>
