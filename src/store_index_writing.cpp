// SPDX-License-Identifier: MIT
#include <sessionkit/detail/file_store/store_index_writing-inl.hpp>
