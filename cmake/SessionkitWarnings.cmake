# SPDX-License-Identifier: MIT
# sessionkit_warnings: the warnings for the library, its tests and its examples. Empty where only the library is built, by a
# host or for a package, unless warnings are errors there.
set(sessionkit_warnings)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND
   (CMAKE_COMPILE_WARNING_AS_ERROR OR (sessionkit_top_level AND (SESSIONKIT_BUILD_TESTS OR SESSIONKIT_BUILD_EXAMPLES))))
  set(sessionkit_warnings -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow)
endif()
