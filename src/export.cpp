// SPDX-License-Identifier: MIT
#include <sessionkit/detail/export/src.hpp>
