// SPDX-License-Identifier: MIT
#include <sessionkit/impl/native_decode.ipp>
