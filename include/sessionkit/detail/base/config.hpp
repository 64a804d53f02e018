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

/// Marks a function that runs once for a store, a session or a compaction, and not for each entry: the
/// compiler makes it small, and what only it calls.
#if defined(__GNUC__)
#define SESSIONKIT_SELDOM [[gnu::cold]]
#else
#define SESSIONKIT_SELDOM
#endif

/// Marks an inline function with many callers: the call costs little beside what it does.
#if defined(__GNUC__)
#define SESSIONKIT_NOINLINE [[gnu::noinline]]
#else
#define SESSIONKIT_NOINLINE
#endif

/// Marks a small function of an inner loop: in a large file g++ would stop inlining it.
#if defined(__GNUC__)
#define SESSIONKIT_INLINE [[gnu::always_inline]]
#else
#define SESSIONKIT_INLINE
#endif
