# SPDX-License-Identifier: MIT
# sessionkit::sessionkit   compiled; BUILD_SHARED_LIBS chooses static or shared
# sessionkit::header_only  the program includes <sessionkit/src.hpp> in exactly one .cpp
# sessionkit::json         the bridge <sessionkit/json.hpp>: adds nlohmann_json to targets that link it
# sessionkit::sqlite       the store in an SQLite file, <sessionkit/sqlite/sqlite_store.hpp>
# sessionkit::redis        the store in Redis or a Redis Cluster, <sessionkit/redis/redis_store.hpp>
# sessionkit::postgres     the store in a PostgreSQL database, <sessionkit/postgres/postgres_store.hpp>
# sessionkit::mongo        the store in a MongoDB database, <sessionkit/mongo/mongo_store.hpp>
# sessionkit::testing      the conformance kit for stores, <sessionkit/testing/store_conformance.hpp>
# With SESSIONKIT_HEADER_ONLY there is no sessionkit::sessionkit, and a component is its headers and their dependencies.
set(needs_fmt OFF) # the library, unless it formats its texts itself, and the programs
if(SESSIONKIT_WITH_FMT OR SESSIONKIT_BUILD_EXAMPLES OR SESSIONKIT_BUILD_TESTS)
  set(needs_fmt ON)
endif()
if(needs_fmt AND NOT TARGET fmt::fmt)
  find_package(fmt 9 QUIET)
endif()
if(needs_fmt AND NOT TARGET fmt::fmt)
  set(found "was not found")
  if(fmt_CONSIDERED_VERSIONS)
    set(found "was not found, but ${fmt_CONSIDERED_VERSIONS}")
  endif()
  message(FATAL_ERROR "sessionkit needs {fmt} 9 or newer, which ${found}. One of these lines helps:\n"
    "  apt-get install libfmt-dev          # Debian, Ubuntu (dnf install fmt-devel, apk add fmt-dev, pacman -S fmt)\n"
    "  cmake ... -Dfmt_DIR=DIRECTORY       # the directory of fmt-config.cmake, if it is installed elsewhere\n"
    "  add_subdirectory(fmt)               # in your CMakeLists.txt before sessionkit, or FetchContent_MakeAvailable(fmt)")
endif()
set(sessionkit_formatter) # of the library's texts; without {fmt}, detail/base/small_format.hpp
if(SESSIONKIT_WITH_FMT)
  set(sessionkit_formatter fmt::fmt)
endif()
if(NOT TARGET nlohmann_json::nlohmann_json)
  find_package(nlohmann_json 3.10 QUIET)
endif()

set(sessionkit_include_dirs "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                            "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

# Where the system keeps the functions that the seam calls and that no program links by itself.
set(sessionkit_system)
if(WIN32)
  set(sessionkit_system ntdll)
endif()

# A section for each function and each table: a static program that is linked with --gc-sections keeps what it calls.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag("-ffunction-sections -fdata-sections" sessionkit_has_sections)
set(sessionkit_sections)
if(sessionkit_has_sections)
  set(sessionkit_sections -ffunction-sections -fdata-sections)
endif()

# Files are compiled one by one, also in a host that sets CMAKE_UNITY_BUILD.
set(sessionkit_units UNITY_BUILD OFF)
if(SESSIONKIT_FEW_UNITS)
  set(sessionkit_units UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE "${SESSIONKIT_FEW_UNITS}")
endif()

# Where all tests are header-only, the programs get the library as the tests' one file too: it is compiled once.
set(sessionkit_library_objects sessionkit_objects)
if(sessionkit_top_level AND SESSIONKIT_BUILD_TESTS AND "${SESSIONKIT_TEST_WAYS}" STREQUAL "header_only" AND NOT BUILD_SHARED_LIBS)
  set(sessionkit_library_objects header_only_objects)
endif()

# sessionkit_add_compiled(<target> [STATIC|SHARED]): a library of those objects; without a kind, BUILD_SHARED_LIBS decides.
function(sessionkit_add_compiled target)
  add_library(${target} ${ARGN} $<TARGET_OBJECTS:${sessionkit_library_objects}>)
  target_include_directories(${target} PUBLIC ${sessionkit_include_dirs})
  target_link_libraries(${target} PRIVATE ${sessionkit_formatter} ${sessionkit_system})
  target_compile_features(${target} PUBLIC cxx_std_17)
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX
    VERSION "${PROJECT_VERSION}"
    SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}") # before 1.0 a minor may break the ABI
endfunction()

if(NOT SESSIONKIT_HEADER_ONLY)
  # One compilation serves the static and the shared library, and so does one result in the compiler cache: hence always
  # position independent. A host may be a plugin.
  set(sessionkit_rooms base json model dialects store transcript file_store history providers compaction upkeep session
                       exchange import export) # the order of docs/architecture.md
  list(TRANSFORM sessionkit_rooms REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1.cpp" OUTPUT_VARIABLE sessionkit_sources)
  add_library(sessionkit_objects OBJECT ${sessionkit_sources})
  if(NOT sessionkit_library_objects STREQUAL "sessionkit_objects")
    set_target_properties(sessionkit_objects PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT SESSIONKIT_FEW_UNITS)
    # g++ stops inlining when a file has grown by a share of its size, which these reach. They read every line.
    foreach(room IN ITEMS dialects history transcript)
      set_source_files_properties("${PROJECT_SOURCE_DIR}/src/${room}.cpp" PROPERTIES
        COMPILE_OPTIONS "$<$<CONFIG:Release>:--param=inline-unit-growth=100>")
    endforeach()
  endif()
  # Some rooms wait for a disk or a model and do little work for each byte: optimised builds compile them for size. The rooms
  # that an append or a list passes are compiled for size if the build uses -O2. If it uses -O3, they are compiled with -O2,
  # which is as fast there, and smaller.
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT SESSIONKIT_FEW_UNITS)
    set(sessionkit_waiting "$<$<OR:$<CONFIG:Release>,$<CONFIG:RelWithDebInfo>>:-Os>")
    set(sessionkit_appending "$<$<CONFIG:RelWithDebInfo>:-Os>$<$<CONFIG:Release>:-O2>")
    if("${CMAKE_CXX_FLAGS}" MATCHES "-O[23]")
      set(sessionkit_waiting -Os)
    endif()
    if("${CMAKE_CXX_FLAGS}" MATCHES "-O2")
      set(sessionkit_appending -Os)
    endif()
    foreach(room IN ITEMS compaction upkeep exchange export)
      set_source_files_properties("${PROJECT_SOURCE_DIR}/src/${room}.cpp" PROPERTIES COMPILE_OPTIONS "${sessionkit_waiting}")
    endforeach()
    foreach(room IN ITEMS base store file_store session)
      set_source_files_properties("${PROJECT_SOURCE_DIR}/src/${room}.cpp" PROPERTIES COMPILE_OPTIONS "${sessionkit_appending}")
    endforeach()
  endif()
  if(NOT SESSIONKIT_WITH_FMT)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/src/base.cpp" PROPERTIES COMPILE_DEFINITIONS SESSIONKIT_WITHOUT_FMT)
  endif()
  target_include_directories(sessionkit_objects PUBLIC "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(sessionkit_objects PRIVATE ${sessionkit_formatter})
  target_compile_features(sessionkit_objects PUBLIC cxx_std_17)
  target_compile_options(sessionkit_objects PRIVATE ${sessionkit_warnings} ${sessionkit_sections})
  set_target_properties(sessionkit_objects PROPERTIES ${sessionkit_units}
    CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)

  sessionkit_add_compiled(sessionkit)
  add_library(sessionkit::sessionkit ALIAS sessionkit)
endif()

add_library(sessionkit_header_only INTERFACE)
target_include_directories(sessionkit_header_only INTERFACE ${sessionkit_include_dirs})
target_link_libraries(sessionkit_header_only INTERFACE ${sessionkit_formatter} ${sessionkit_system})
target_compile_definitions(sessionkit_header_only INTERFACE $<$<NOT:$<BOOL:${SESSIONKIT_WITH_FMT}>>:SESSIONKIT_WITHOUT_FMT>)
target_compile_features(sessionkit_header_only INTERFACE cxx_std_17)
set_target_properties(sessionkit_header_only PROPERTIES EXPORT_NAME header_only)
add_library(sessionkit::header_only ALIAS sessionkit_header_only)

add_library(sessionkit_json INTERFACE)
target_link_libraries(sessionkit_json INTERFACE nlohmann_json::nlohmann_json)
set_target_properties(sessionkit_json PROPERTIES EXPORT_NAME json)
add_library(sessionkit::json ALIAS sessionkit_json)

# sessionkit_add_component(<name> <library>...): sessionkit::<name> of src/<name>.cpp, beside sessionkit::sessionkit.
# Its objects are a target of their own, so that tests can link them with the library in any of its ways.
function(sessionkit_add_component name)
  set(sessionkit_components ${sessionkit_components} ${name} PARENT_SCOPE)
  if(SESSIONKIT_HEADER_ONLY)
    add_library(sessionkit_${name} INTERFACE)
    target_link_libraries(sessionkit_${name} INTERFACE sessionkit_header_only ${ARGN})
    set_target_properties(sessionkit_${name} PROPERTIES EXPORT_NAME ${name})
    add_library(sessionkit::${name} ALIAS sessionkit_${name})
    return()
  endif()

  add_library(sessionkit_${name}_objects OBJECT "${PROJECT_SOURCE_DIR}/src/${name}.cpp")
  target_include_directories(sessionkit_${name}_objects PUBLIC "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(sessionkit_${name}_objects PRIVATE ${sessionkit_formatter} ${ARGN})
  target_compile_features(sessionkit_${name}_objects PUBLIC cxx_std_17)
  target_compile_options(sessionkit_${name}_objects PRIVATE ${sessionkit_warnings} ${sessionkit_sections})
  set_target_properties(sessionkit_${name}_objects PROPERTIES
    CXX_EXTENSIONS OFF UNITY_BUILD OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)

  add_library(sessionkit_${name} $<TARGET_OBJECTS:sessionkit_${name}_objects>)
  target_link_libraries(sessionkit_${name} PUBLIC sessionkit PRIVATE ${sessionkit_formatter} ${ARGN})
  set_target_properties(sessionkit_${name} PROPERTIES
    EXPORT_NAME ${name}
    LINKER_LANGUAGE CXX
    VERSION "${PROJECT_VERSION}"
    SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
  add_library(sessionkit::${name} ALIAS sessionkit_${name})
  if(NOT SESSIONKIT_INSTALL) # a host's build: only linked targets are built
    set_target_properties(sessionkit_${name} sessionkit_${name}_objects PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

set(sessionkit_components)
find_package(Threads REQUIRED)
sessionkit_add_component(testing Threads::Threads)

# sessionkit_add_backend(<name> <package> PC <pkg-config module> FIND <arguments of find_package>... LINK <library>...
# DEBIAN <package>): a component that SESSIONKIT_WITH_<NAME> turns on.
macro(sessionkit_add_backend name package)
  cmake_parse_arguments(backend "" "PC;DEBIAN" "LINK;FIND" ${ARGN})
  set(sessionkit_${name}_pc "${backend_PC}")
  string(TOUPPER "SESSIONKIT_WITH_${name}" backend_wanted)
  if(${backend_wanted} STREQUAL "AUTO")
    if(sessionkit_top_level)
      find_package(${package} ${backend_FIND} QUIET)
    endif()
  elseif(${backend_wanted})
    find_package(${package} ${backend_FIND} QUIET)
    if(NOT ${package}_FOUND)
      message(FATAL_ERROR "${backend_wanted}=${${backend_wanted}}: ${backend_PC} was not found. Install it (Debian, Ubuntu: "
                          "apt-get install ${backend_DEBIAN}), or leave the store out: -D${backend_wanted}=OFF")
    endif()
  endif()
  if(${backend_wanted} AND ${package}_FOUND)
    sessionkit_add_component(${name} ${backend_LINK})
  endif()
endmacro()

# The stores of servers wait for sockets, which the seam has for POSIX only.
if(WIN32)
  foreach(name IN ITEMS REDIS POSTGRES MONGO)
    if(NOT SESSIONKIT_WITH_${name} STREQUAL "AUTO" AND SESSIONKIT_WITH_${name})
      message(FATAL_ERROR "SESSIONKIT_WITH_${name}=${SESSIONKIT_WITH_${name}}: this store needs Linux. "
                          "Leave it out: -DSESSIONKIT_WITH_${name}=OFF")
    endif()
    set(SESSIONKIT_WITH_${name} OFF)
  endforeach()
endif()

sessionkit_add_backend(sqlite SQLite3 PC "sqlite3 >= 3.35" FIND 3.35 LINK SQLite::SQLite3 DEBIAN libsqlite3-dev)
sessionkit_add_backend(redis Hiredis PC "hiredis >= 0.14" FIND 0.14 MODULE LINK Hiredis::Hiredis Threads::Threads DEBIAN libhiredis-dev)
sessionkit_add_backend(postgres PostgreSQL PC "libpq >= 11" FIND 11 LINK PostgreSQL::PostgreSQL DEBIAN libpq-dev)
sessionkit_add_backend(mongo Mongoc PC "libmongoc-1.0 >= 1.17" FIND 1.17 MODULE LINK Mongoc::Mongoc Threads::Threads DEBIAN libmongoc-dev)
