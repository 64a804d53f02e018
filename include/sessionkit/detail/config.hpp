// SPDX-License-Identifier: MIT
#pragma once
/// Marks what a shared library exports; everything else is hidden. The same text serves every way of
/// building.
#if defined(__GNUC__)
#define SESSIONKIT_API __attribute__((visibility("default")))
#else
#define SESSIONKIT_API
#endif
