// SPDX-License-Identifier: MIT
#include <sessionkit/detail/store/row_store-inl.hpp>
