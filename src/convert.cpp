// SPDX-License-Identifier: MIT
#include <sessionkit/detail/exchange/convert-inl.hpp>
