// SPDX-License-Identifier: MIT
#include <sessionkit/detail/providers/divergence-inl.hpp>
