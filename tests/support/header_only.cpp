// SPDX-License-Identifier: MIT
// The one .cpp of the header-only test program that holds the library.
#include <sessionkit/src.hpp>
