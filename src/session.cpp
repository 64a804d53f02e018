// SPDX-License-Identifier: MIT
#include <sessionkit/detail/session/session-inl.hpp>
