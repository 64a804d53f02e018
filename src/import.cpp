// SPDX-License-Identifier: MIT
#include <sessionkit/detail/import/src.hpp>
