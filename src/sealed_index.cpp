// SPDX-License-Identifier: MIT
#include <sessionkit/detail/file_store/sealed_index-inl.hpp>
