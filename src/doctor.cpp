// SPDX-License-Identifier: MIT
#include <sessionkit/detail/upkeep/doctor-inl.hpp>
