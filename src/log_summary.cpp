// SPDX-License-Identifier: MIT
#include <sessionkit/detail/transcript/log_summary-inl.hpp>
