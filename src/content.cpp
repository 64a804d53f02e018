// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/content-inl.hpp>
