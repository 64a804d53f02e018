// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/flat_dialect-inl.hpp>
