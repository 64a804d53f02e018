# SPDX-License-Identifier: MIT
# Settings of our own build; a host that adds the library with add_subdirectory gets none of this.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND NOT CMAKE_CXX_FLAGS)
  set(CMAKE_BUILD_TYPE Release)
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SESSIONKIT_CCACHE ccache)
  mark_as_advanced(SESSIONKIT_CCACHE)
  if(SESSIONKIT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${SESSIONKIT_CCACHE}")
  endif()
endif()

# scripts/demo builds from scratch, and once.
set(SESSIONKIT_DEMO OFF CACHE BOOL "Only examples/chat")
# Units of several files read each header once: less time for all of them, but more after a change of one.
set(SESSIONKIT_FEW_UNITS 0 CACHE STRING "How many files of a target are compiled as one; 0: each file alone")
if(SESSIONKIT_FEW_UNITS) # the programs too
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE "${SESSIONKIT_FEW_UNITS}")
endif()

# Under a sanitizer most of the time goes into optimising the tests, which does not make them faster.
set(SESSIONKIT_PROGRAM_FLAGS "" CACHE STRING "How examples and tests are compiled, beyond the flags of the library")
set(sessionkit_optimised_program_flags "${SESSIONKIT_PROGRAM_FLAGS}") # of those that are optimised as the library
list(FILTER sessionkit_optimised_program_flags EXCLUDE REGEX "^-O")
