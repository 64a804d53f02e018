// SPDX-License-Identifier: MIT
#include <sessionkit/detail/history/history-inl.hpp>
