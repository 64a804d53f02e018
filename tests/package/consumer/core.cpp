// SPDX-License-Identifier: MIT

// [core]
#include <sessionkit/src_core.hpp>
// [core]
