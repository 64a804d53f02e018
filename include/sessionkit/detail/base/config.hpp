// SPDX-License-Identifier: MIT
#pragma once
/// Marks the symbols that a shared library exports; everything else is hidden. The same text serves every way
/// of building.
#if defined(__GNUC__)
#define SESSIONKIT_API [[gnu::visibility("default")]]
#else
#define SESSIONKIT_API
#endif

/// Marks a function that a healthy program does not call: it is not inlined, and lies apart from what runs.
#if defined(__GNUC__)
#define SESSIONKIT_COLD [[gnu::cold, gnu::noinline]]
#else
#define SESSIONKIT_COLD
#endif
