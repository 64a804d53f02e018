// SPDX-License-Identifier: MIT
#include <sessionkit/detail/session/titles-inl.hpp>
