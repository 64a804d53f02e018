// SPDX-License-Identifier: MIT

// [src]
#include <sessionkit/src.hpp>
// [src]
