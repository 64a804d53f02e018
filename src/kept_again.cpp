// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/kept_again-inl.hpp>
