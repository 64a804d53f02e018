// SPDX-License-Identifier: MIT
#include <sessionkit/detail/session/profile_view-inl.hpp>
