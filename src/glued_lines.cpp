// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/glued_lines-inl.hpp>
