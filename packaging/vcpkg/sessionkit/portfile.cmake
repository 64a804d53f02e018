# SPDX-License-Identifier: MIT
# An overlay port of the tree that contains it: vcpkg install sessionkit --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features
  FEATURES
    sqlite SESSIONKIT_WITH_SQLITE
    redis SESSIONKIT_WITH_REDIS
    postgres SESSIONKIT_WITH_POSTGRES
    mongo SESSIONKIT_WITH_MONGO)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${features}
    -DSESSIONKIT_INSTALL=ON
    -DSESSIONKIT_BUILD_TESTS=OFF
    -DSESSIONKIT_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/sessionkit)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
