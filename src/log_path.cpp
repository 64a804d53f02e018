// SPDX-License-Identifier: MIT
#include <sessionkit/detail/exchange/log_path-inl.hpp>
