// SPDX-License-Identifier: MIT
#include <sessionkit/detail/exchange/src.hpp>
