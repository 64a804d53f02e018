// SPDX-License-Identifier: MIT
#include <sessionkit/testing/detail/fault_checks-inl.hpp>
