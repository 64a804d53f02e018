// SPDX-License-Identifier: MIT
#include <sessionkit/detail/history/src.hpp>
