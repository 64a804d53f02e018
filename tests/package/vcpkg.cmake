# SPDX-License-Identifier: MIT
# cmake -P vcpkg.cmake: runs the port's own lines with vcpkg's functions as its documentation describes them, since the tool
# itself is fetched from places a build machine may not reach. What it installs is taken by a consumer afterwards.
cmake_minimum_required(VERSION 3.21)
set(PORT sessionkit)
set(CURRENT_PACKAGES_DIR "${work}/vcpkg/packages")
set(CURRENT_BUILDTREES_DIR "${work}/vcpkg/buildtrees")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}")

include("${CMAKE_CURRENT_LIST_DIR}/command.cmake")

# FEATURES <feature> <variable>...: -D<variable>=ON for each feature that is wanted, else OFF.
function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES")
  set(options)
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature variable)
    set(value OFF)
    if(feature IN_LIST FEATURES)
      set(value ON)
    endif()
    list(APPEND options "-D${variable}=${value}")
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} "${options}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  run("${CMAKE_COMMAND}" -S "${arg_SOURCE_PATH}" -B "${CURRENT_BUILDTREES_DIR}" -G "${generator}"
      "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}" -DCMAKE_BUILD_TYPE=None
      -DBUILD_SHARED_LIBS=OFF "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" -DCMAKE_INSTALL_LIBDIR=lib ${arg_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
  run("${CMAKE_COMMAND}" --build "${CURRENT_BUILDTREES_DIR}" --parallel 2)
  run("${CMAKE_COMMAND}" --install "${CURRENT_BUILDTREES_DIR}")
endfunction()
# Moves the CMake files to share/<port>, and their idea of where the prefix is with them.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}/share")
  file(RENAME "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}" "${CURRENT_PACKAGES_DIR}/share/${PORT}")
  file(GLOB configs "${CURRENT_PACKAGES_DIR}/share/${PORT}/*.cmake")
  foreach(config IN LISTS configs)
    file(READ "${config}" text)
    string(REPLACE [[${CMAKE_CURRENT_LIST_DIR}/../../../]] [[${CMAKE_CURRENT_LIST_DIR}/../../]] text "${text}")
    string(REPLACE [[get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)
get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)
get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)]]
                   [[get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)
get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)]] text "${text}")
    file(WRITE "${config}" "${text}")
  endforeach()
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(COPY_FILE "${arg_FILE_LIST}" "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright")
endfunction()

include("${source}/packaging/vcpkg/sessionkit/portfile.cmake")
foreach(file IN ITEMS copyright usage sessionkitConfig.cmake)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/share/sessionkit/${file}")
    message(FATAL_ERROR "the port installs no share/sessionkit/${file}")
  endif()
endforeach()
set(consumer "${source}/tests/package/consumer")
set(own "${work}/vcpkg/consumer")
file(REMOVE_RECURSE "${own}")
run("${CMAKE_COMMAND}" -S "${consumer}" -B "${own}" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}"
    "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}" -DCMAKE_BUILD_TYPE=None -Dway=find_package
    "-DCMAKE_PREFIX_PATH=${CURRENT_PACKAGES_DIR}")
run("${CMAKE_COMMAND}" --build "${own}" --parallel 2)
run("${own}/app")
