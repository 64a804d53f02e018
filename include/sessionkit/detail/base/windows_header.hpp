// SPDX-License-Identifier: MIT
#pragma once

/// Includes <windows.h> without its macros `min` and `max`, and without the parts that the library does not
/// use. The bodies for Windows include it before other headers of Windows. On other systems it is empty.
#if defined(_WIN32)
#if !defined(WIN32_LEAN_AND_MEAN)
#define WIN32_LEAN_AND_MEAN
#endif
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <windows.h>
#endif
