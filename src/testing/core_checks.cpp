// SPDX-License-Identifier: MIT
#include <sessionkit/testing/detail/core_checks-inl.hpp>
