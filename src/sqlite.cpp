// SPDX-License-Identifier: MIT
#include <sessionkit/sqlite/src.hpp>
