// SPDX-License-Identifier: MIT
#include <sessionkit/detail/json/blank-inl.hpp>
