# SPDX-License-Identifier: MIT
# sessionkit_warnings: the warnings for the library, its tests and its examples. Empty for a host that adds the
# library to its own build, unless that host takes warnings as errors.
set(sessionkit_warnings)
if((sessionkit_top_level OR CMAKE_COMPILE_WARNING_AS_ERROR) AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set(sessionkit_warnings -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow)
endif()
