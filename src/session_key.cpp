// SPDX-License-Identifier: MIT
#include <sessionkit/detail/model/session_key-inl.hpp>
