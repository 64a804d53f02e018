// SPDX-License-Identifier: MIT
#include <sessionkit/detail/history/context-inl.hpp>
