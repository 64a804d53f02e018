// SPDX-License-Identifier: MIT
#include <sessionkit/detail/file_store/session_index_file-inl.hpp>
