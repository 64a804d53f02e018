// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/native_encode-inl.hpp>
