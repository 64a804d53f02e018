// SPDX-License-Identifier: MIT
#pragma once

/// Includes <windows.h> without its macros `min` and `max`, and without the parts that the library does not
/// use. The bodies for Windows include it before other headers of Windows. On other systems it is empty.
/// <windows.h> declares what the Windows of `_WIN32_WINNT` has; the library needs Windows 10.
#if defined(_WIN32)
#if !defined(WIN32_LEAN_AND_MEAN)
#define WIN32_LEAN_AND_MEAN
#endif
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <windows.h>
#if _WIN32_WINNT < 0x0A00
#error "compile sessionkit for Windows 10: define _WIN32_WINNT=0x0A00 (or a larger number) for all files"
#endif
#endif
