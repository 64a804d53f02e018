// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/sqlite/sqlite_import.hpp>
