// SPDX-License-Identifier: MIT
#pragma once
#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "sessionkit needs C++17 or newer: compile with -std=c++17 (MSVC: /std:c++17)"
#endif
#if !defined(__linux__) && !defined(__APPLE__) && !defined(__FreeBSD__) && !defined(_WIN32)                  \
    && !defined(__wasi__)
#error "sessionkit has no code for the calls of this system: see 'Another system' in docs/platforms.md"
#endif

// Some texts are not ASCII. Without /utf-8, MSVC reads them in the code page of the system.
static_assert(sizeof("\u00A7") == 3, "compile with UTF-8 as the character set (MSVC: /utf-8)");

/// Marks the symbols that a shared library exports. All other symbols are hidden. The macro is the same in
/// static, shared and header-only builds.
#if defined(__GNUC__)
#define SESSIONKIT_API [[gnu::visibility("default")]]
#else
#define SESSIONKIT_API
#endif

/// Marks a function that is called only after a failure. The compiler does not inline it and places it apart
/// from the code that usually runs.
#if defined(__GNUC__)
#define SESSIONKIT_COLD [[gnu::cold, gnu::noinline]]
#else
#define SESSIONKIT_COLD
#endif

/// Marks a function that need not be fast, for one of two reasons. It runs once for a store, a session or a
/// compaction, and not for each entry. Or it waits anyway: for a disk (to write a whole document, or to look
/// at a directory) or for a model. The compiler makes the function small rather than fast. It does
/// the same with functions that only this function calls.
#if defined(__GNUC__)
#define SESSIONKIT_SELDOM [[gnu::cold]]
#else
#define SESSIONKIT_SELDOM
#endif

/// Marks an inline function that has many callers and should not be copied into them. The call costs little
/// compared with the function's work.
#if defined(__GNUC__)
#define SESSIONKIT_NOINLINE [[gnu::noinline]]
#else
#define SESSIONKIT_NOINLINE
#endif

/// Marks a small function that an inner loop calls. Without the mark, g++ stops inlining it in a large source
/// file.
#if defined(__GNUC__)
#define SESSIONKIT_INLINE [[gnu::always_inline]]
#else
#define SESSIONKIT_INLINE
#endif
