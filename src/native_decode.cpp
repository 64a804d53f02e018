// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/native_decode-inl.hpp>
