// SPDX-License-Identifier: MIT
#include <sessionkit/impl/key_index.ipp>
