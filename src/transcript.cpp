// SPDX-License-Identifier: MIT
#include <sessionkit/detail/transcript/src.hpp>
