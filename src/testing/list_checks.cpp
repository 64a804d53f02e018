// SPDX-License-Identifier: MIT
#include <sessionkit/testing/detail/list_checks-inl.hpp>
