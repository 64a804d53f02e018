// SPDX-License-Identifier: MIT
#include <sessionkit/mongo/src.hpp>
