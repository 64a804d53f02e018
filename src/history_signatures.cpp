// SPDX-License-Identifier: MIT
#include <sessionkit/detail/history/history_signatures-inl.hpp>
