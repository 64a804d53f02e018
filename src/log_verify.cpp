// SPDX-License-Identifier: MIT
#include <sessionkit/detail/transcript/log_verify-inl.hpp>
