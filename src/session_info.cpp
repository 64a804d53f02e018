// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/session_info-inl.hpp>
