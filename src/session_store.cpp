// SPDX-License-Identifier: MIT
#include <sessionkit/detail/store/session_store-inl.hpp>
