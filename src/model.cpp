// SPDX-License-Identifier: MIT
#include <sessionkit/detail/model/src.hpp>
