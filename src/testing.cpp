// SPDX-License-Identifier: MIT
#include <sessionkit/testing/src.hpp>
