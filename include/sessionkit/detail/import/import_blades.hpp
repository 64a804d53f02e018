// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/import.hpp>
