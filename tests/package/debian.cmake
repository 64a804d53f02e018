# SPDX-License-Identifier: MIT
# cmake -Dform=static|shared ... -P debian.cmake: the Debian packages of this tree, unpacked into a folder, and hello built
# against them. scripts/clean-root installs them for real.
cmake_minimum_required(VERSION 3.21)
include("${CMAKE_CURRENT_LIST_DIR}/command.cmake")
set(own "${work}/debian_${form}")
file(REMOVE_RECURSE "${own}")
file(MAKE_DIRECTORY "${own}/root" "${own}/run")

execute_process(COMMAND "${source}/packaging/debian/create" ${form} "${lib_build}" -DCMAKE_BUILD_TYPE=None
                "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_FLAGS=${flags}"
                "-DSESSIONKIT_PROGRAM_FLAGS=${program_flags}" # so a compiler cache has all objects already
                OUTPUT_VARIABLE packages OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_VARIABLE log RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "packaging/debian/create: ${log}")
endif()
string(REPLACE "\n" ";" packages "${packages}")

foreach(package IN LISTS packages)
  execute_process(COMMAND dpkg-deb -f "${package}" Package OUTPUT_VARIABLE name OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND dpkg-deb -f "${package}" Depends OUTPUT_VARIABLE needs OUTPUT_STRIP_TRAILING_WHITESPACE)
  set("needs_${name}" "${needs}")
  run(dpkg-deb -x "${package}" "${own}/root")
  if(lintian) # who maintains it is decided where it is released
    run("${lintian}" --allow-root --fail-on error
        --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "${package}")
  endif()
endforeach()

function(expect_needs name)
  foreach(wanted IN LISTS ARGN)
    string(FIND "${needs_${name}}" "${wanted}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${name} does not depend on ${wanted}, but on: ${needs_${name}}")
    endif()
  endforeach()
endfunction()
expect_needs(libsessionkit-dev "libfmt-dev (>= 9)" "nlohmann-json3-dev")
if(form STREQUAL "static")
  expect_needs(sessionkit-tools "libc6" "libfmt9" "libsqlite3-0" "libcurl4" "libcpp-httplib")
  foreach(program IN ITEMS sessionkit chat_host)
    run("${own}/root/usr/bin/${program}" --help OUTPUT_QUIET)
    run(gzip -t "${own}/root/usr/share/man/man1/${program}.1.gz")
  endforeach()
  if(NOT EXISTS "${own}/root/usr/share/sessionkit/chat_host/index.html")
    message(FATAL_ERROR "sessionkit-tools has no page of chat_host")
  endif()
endif()
if(form STREQUAL "shared")
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor "${version}")
  expect_needs("libsessionkit${minor}" "libfmt" "libc6" "libstdc++6")
  expect_needs(libsessionkit-dev "libsessionkit${minor} (= ${version})")
endif()

file(COPY "${source}/tests/package/hello/CMakeLists.txt" "${source}/examples/hello/hello.cpp" DESTINATION "${own}/hello_source")
run("${CMAKE_COMMAND}" -S "${own}/hello_source" -B "${own}/hello" -G "${generator}"
    "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}"
    "-DCMAKE_PREFIX_PATH=${own}/root/usr")
run("${CMAKE_COMMAND}" --build "${own}/hello")
set(turn "What is in config.json.*tool_result.*")
foreach(turns IN ITEMS "${turn}" "${turn}${turn}") # the second run resumes what the first has stored
  execute_process(COMMAND "${own}/hello/hello" WORKING_DIRECTORY "${own}/run" OUTPUT_VARIABLE output
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "${turns}")
    message(FATAL_ERROR "hello printed: ${output}")
  endif()
endforeach()
