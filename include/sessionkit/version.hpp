// SPDX-License-Identifier: MIT
#pragma once
/// The library's version. CMake, pkg-config and the packages read it from here; nothing else spells it.
#define SESSIONKIT_VERSION_MAJOR 0
#define SESSIONKIT_VERSION_MINOR 1
#define SESSIONKIT_VERSION_PATCH 0
#define SESSIONKIT_VERSION "0.1.0"
