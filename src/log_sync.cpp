// SPDX-License-Identifier: MIT
#include <sessionkit/detail/transcript/log_sync-inl.hpp>
