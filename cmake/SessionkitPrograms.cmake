# SPDX-License-Identifier: MIT
# The install component sessionkit_tools: programs, manual pages made from their --help, completions of shells.
if(NOT CMAKE_CROSSCOMPILING)
  find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
endif()
if(NOT Python3_Interpreter_FOUND)
  message(STATUS "sessionkit: no Python 3.9 or newer to run: programs are installed without manual pages")
endif()

# sessionkit_packaged(<target>): what packages contain.
function(sessionkit_packaged target)
  if(TARGET sessionkit_packaged)
    add_dependencies(sessionkit_packaged ${target})
  endif()
endfunction()

# sessionkit_install_program(<target> <name>)
function(sessionkit_install_program target name)
  install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT sessionkit_tools)
  sessionkit_packaged(${target})
  if(BUILD_SHARED_LIBS AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr") # a distribution's own folders need no path
    file(RELATIVE_PATH to_libraries "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
    set(own_folder "$ORIGIN")
    if(APPLE)
      set(own_folder "@loader_path")
    endif()
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "${own_folder}/${to_libraries}")
  endif()
  if(Python3_Interpreter_FOUND)
    set(page "${PROJECT_BINARY_DIR}/man/${name}.1")
    if(CMAKE_INSTALL_PREFIX STREQUAL "/usr") # distributions compress them
      string(APPEND page ".gz")
    endif()
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/man")
    sessionkit_install_made(${target}_man "${page}" "${CMAKE_INSTALL_MANDIR}/man1" ${target}
      COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/man-page" $<TARGET_FILE:${target}> ${PROJECT_VERSION} "${page}"
      DEPENDS "${PROJECT_SOURCE_DIR}/scripts/man-page")
  endif()
endfunction()

# sessionkit_install_made(<target> <file> <folder> <program's target> COMMAND ... [DEPENDS ...]): a file that a program makes.
function(sessionkit_install_made made file folder program)
  add_custom_command(OUTPUT "${file}" DEPENDS ${program} ${ARGN} VERBATIM)
  add_custom_target(${made} ALL DEPENDS "${file}")
  sessionkit_packaged(${made})
  install(FILES "${file}" DESTINATION "${folder}" COMPONENT sessionkit_tools)
endfunction()

# sessionkit_install_completions(<target>): what `<program> completion SHELL` prints, where each shell looks for it.
function(sessionkit_install_completions target)
  set(zsh "zsh/site-functions")
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
    set(zsh "zsh/vendor-completions")
  endif()
  foreach(place IN ITEMS "bash|bash-completion/completions|sessionkit" "zsh|${zsh}|_sessionkit"
                         "fish|fish/vendor_completions.d|sessionkit.fish")
    string(REPLACE "|" ";" place "${place}")
    list(GET place 0 shell)
    list(GET place 1 folder)
    list(GET place 2 name)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/completions/${shell}")
    set(file "${PROJECT_BINARY_DIR}/completions/${shell}/${name}")
    if(NOT CMAKE_CROSSCOMPILING)
      sessionkit_install_made(${target}_${shell} "${file}" "${CMAKE_INSTALL_DATADIR}/${folder}" ${target}
        COMMAND $<TARGET_FILE:${target}> completion ${shell} > "${file}")
    endif()
  endforeach()
endfunction()
