# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)

# Two components: the files that running programs need, if the library is shared, and all others.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME sessionkit_dev)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/sessionkit")
set(sessionkit_type INTERFACE_LIBRARY)
if(TARGET sessionkit)
  get_target_property(sessionkit_type sessionkit TYPE)
endif()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/sessionkit")

set(installed sessionkit_header_only sessionkit_json)
if(TARGET sessionkit)
  list(APPEND installed sessionkit)
endif()
foreach(component IN LISTS sessionkit_components)
  list(APPEND installed sessionkit_${component})
endforeach()
install(TARGETS ${installed} EXPORT sessionkit
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT sessionkit_runtime NAMELINK_COMPONENT sessionkit_dev
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT sessionkit FILE sessionkitTargets.cmake NAMESPACE sessionkit:: DESTINATION "${package_dir}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/sessionkitConfig.cmake.in" "${PROJECT_BINARY_DIR}/sessionkitConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/sessionkitConfigVersion.cmake"
                                 VERSION "${PROJECT_VERSION}" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/sessionkitConfig.cmake" "${PROJECT_BINARY_DIR}/sessionkitConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindHiredis.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindMongoc.cmake"
        DESTINATION "${package_dir}")

# The prefix is found from the place of the .pc file, so that the installed tree can be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
  set(pc_libdir "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(pc_includedir "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
  file(RELATIVE_PATH to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  set(pc_prefix "\${pcfiledir}/${to_prefix}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# sessionkit_install_pc(<name> <description> REQUIRES <module>... INSIDE <module>... LIBS <library>...)
# A shared library links INSIDE itself; with a static one, and with headers, the program links it.
function(sessionkit_install_pc pc_name pc_description)
  cmake_parse_arguments(pc "" "" "REQUIRES;INSIDE;LIBS" ${ARGN})
  if(NOT sessionkit_type STREQUAL "SHARED_LIBRARY")
    list(APPEND pc_REQUIRES ${pc_INSIDE})
  endif()
  list(JOIN pc_REQUIRES ", " pc_requires)
  set(pc_libs "")
  if(pc_LIBS AND TARGET sessionkit)
    list(TRANSFORM pc_LIBS PREPEND "-l")
    list(JOIN pc_LIBS " " pc_libs)
    string(PREPEND pc_libs "-L\${libdir} ")
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/sessionkit.pc.in" "${PROJECT_BINARY_DIR}/${pc_name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${pc_name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()

set(pc_formatter)
set(pc_definitions " -DSESSIONKIT_WITHOUT_FMT")
if(SESSIONKIT_WITH_FMT)
  set(pc_formatter "fmt >= 9")
  set(pc_definitions "")
endif()
sessionkit_install_pc(sessionkit-header-only "${PROJECT_DESCRIPTION}: the headers alone" REQUIRES ${pc_formatter})
set(pc_definitions "")
set(pc_core sessionkit-header-only)
if(TARGET sessionkit)
  sessionkit_install_pc(sessionkit "${PROJECT_DESCRIPTION}" INSIDE ${pc_formatter} LIBS sessionkit)
  set(pc_core sessionkit)
endif()
foreach(component IN LISTS sessionkit_components)
  sessionkit_install_pc(sessionkit-${component} "The component ${component} of sessionkit"
                        REQUIRES ${pc_core} INSIDE ${sessionkit_${component}_pc} LIBS sessionkit_${component})
endforeach()
