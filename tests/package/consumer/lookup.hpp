// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

sessionkit::Result<int> look_up(int number);
