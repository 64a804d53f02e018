// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/src.hpp>
