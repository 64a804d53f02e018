# SPDX-License-Identifier: MIT
# Hiredis::Hiredis: the client library of Redis, which has no CMake target before 1.0.
find_path(Hiredis_INCLUDE_DIR hiredis/hiredis.h)
find_library(Hiredis_LIBRARY hiredis)
if(Hiredis_INCLUDE_DIR)
  file(STRINGS "${Hiredis_INCLUDE_DIR}/hiredis/hiredis.h" Hiredis_lines REGEX "^#define HIREDIS_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" Hiredis_lines "${Hiredis_lines}")
  string(REPLACE ";" "." Hiredis_VERSION "${Hiredis_lines}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Hiredis REQUIRED_VARS Hiredis_LIBRARY Hiredis_INCLUDE_DIR VERSION_VAR Hiredis_VERSION)
mark_as_advanced(Hiredis_INCLUDE_DIR Hiredis_LIBRARY)
if(Hiredis_FOUND AND NOT TARGET Hiredis::Hiredis)
  add_library(Hiredis::Hiredis UNKNOWN IMPORTED)
  set_target_properties(Hiredis::Hiredis PROPERTIES
    IMPORTED_LOCATION "${Hiredis_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${Hiredis_INCLUDE_DIR}")
endif()
