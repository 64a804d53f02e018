// SPDX-License-Identifier: MIT
#include <sessionkit/detail/upkeep/channel_log-inl.hpp>
