// SPDX-License-Identifier: MIT
#include <sessionkit/detail/session/session_state-inl.hpp>
