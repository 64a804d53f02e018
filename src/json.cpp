// SPDX-License-Identifier: MIT
#include <sessionkit/detail/json/src.hpp>
