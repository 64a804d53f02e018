// SPDX-License-Identifier: MIT
#include <sessionkit/detail/model/profile-inl.hpp>
