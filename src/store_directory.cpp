// SPDX-License-Identifier: MIT
#include <sessionkit/detail/file_store/store_directory-inl.hpp>
