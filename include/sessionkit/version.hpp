// SPDX-License-Identifier: MIT
#pragma once
/// The library's version. CMake and pkg-config read it from here. `scripts/release` checks the other files
/// that name it.
#define SESSIONKIT_VERSION_MAJOR 0
#define SESSIONKIT_VERSION_MINOR 1
#define SESSIONKIT_VERSION_PATCH 0
#define SESSIONKIT_VERSION "0.1.0"
