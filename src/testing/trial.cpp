// SPDX-License-Identifier: MIT
#include <sessionkit/testing/detail/trial-inl.hpp>
