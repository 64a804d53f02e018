// SPDX-License-Identifier: MIT
#include <sessionkit/detail/store/src.hpp>
