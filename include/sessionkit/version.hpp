// SPDX-License-Identifier: MIT
#pragma once
/// The library's version. CMake and pkg-config read it from here. `scripts/release` checks the other files
/// that name it.
#define SESSIONKIT_VERSION_MAJOR 0
/// Before 1.0, a new minor version may change the interface.
#define SESSIONKIT_VERSION_MINOR 1
/// A new patch version does not change the interface.
#define SESSIONKIT_VERSION_PATCH 0
/// The three numbers, with dots between them.
#define SESSIONKIT_VERSION "0.1.0"
