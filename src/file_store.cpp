// SPDX-License-Identifier: MIT
#include <sessionkit/detail/file_store/file_store-inl.hpp>
