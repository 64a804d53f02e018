// SPDX-License-Identifier: MIT
#include <sessionkit/detail/providers/src.hpp>
