// SPDX-License-Identifier: MIT
#include <sessionkit/detail/history/batch-inl.hpp>
