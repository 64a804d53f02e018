// SPDX-License-Identifier: MIT
#include <sessionkit/impl/sealed_index.ipp>
