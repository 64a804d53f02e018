// SPDX-License-Identifier: MIT
#include <sessionkit/detail/history/path_walk-inl.hpp>
