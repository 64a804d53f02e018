# SPDX-License-Identifier: MIT
# sessionkit_warnings: the warnings for the library, its tests and its examples. Empty where only the library is built, by a
# host or for a package, unless warnings are errors there.
set(sessionkit_warnings)
set(developed OFF)
if(sessionkit_top_level AND (SESSIONKIT_BUILD_TESTS OR SESSIONKIT_BUILD_EXAMPLES))
  set(developed ON)
endif()
if((developed OR CMAKE_COMPILE_WARNING_AS_ERROR) AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set(sessionkit_warnings -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow)
endif()
