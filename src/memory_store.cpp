// SPDX-License-Identifier: MIT
#include <sessionkit/detail/store/memory_store-inl.hpp>
