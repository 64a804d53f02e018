// SPDX-License-Identifier: MIT
#include <sessionkit/detail/file_store/key_index-inl.hpp>
