// SPDX-License-Identifier: MIT
#include <sessionkit/testing/detail/concurrent_checks-inl.hpp>
