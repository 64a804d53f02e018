# SPDX-License-Identifier: MIT
# sessionkit_warnings: the warnings for the library, its tests and its examples. Empty for a host that adds the
# library to its own build, unless it asks.
set(sessionkit_warnings)
if((sessionkit_top_level OR SESSIONKIT_WARNINGS_AS_ERRORS) AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set(sessionkit_warnings -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow)
  if(SESSIONKIT_WARNINGS_AS_ERRORS)
    list(APPEND sessionkit_warnings -Werror)
  endif()
endif()
