// SPDX-License-Identifier: MIT
#include <sessionkit/detail/base/src.hpp>
