// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/line_members-inl.hpp>
