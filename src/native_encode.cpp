// SPDX-License-Identifier: MIT
#include <sessionkit/impl/native_encode.ipp>
