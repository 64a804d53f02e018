// SPDX-License-Identifier: MIT
#include <sessionkit/detail/session/session_writing-inl.hpp>
