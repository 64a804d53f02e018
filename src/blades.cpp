// SPDX-License-Identifier: MIT
#include <sessionkit/detail/exchange/blades-inl.hpp>
