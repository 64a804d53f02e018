// SPDX-License-Identifier: MIT
#include <sessionkit/postgres/src.hpp>
