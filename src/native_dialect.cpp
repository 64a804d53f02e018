// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/native_dialect-inl.hpp>
