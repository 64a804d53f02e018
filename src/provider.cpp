// SPDX-License-Identifier: MIT
#include <sessionkit/detail/providers/provider-inl.hpp>
