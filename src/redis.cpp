// SPDX-License-Identifier: MIT
#include <sessionkit/redis/src.hpp>
