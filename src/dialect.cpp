// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/dialect-inl.hpp>
