// SPDX-License-Identifier: MIT
#include <sessionkit/detail/session/src.hpp>
