// SPDX-License-Identifier: MIT
#include <sessionkit/testing/detail/hostile_checks-inl.hpp>
