// SPDX-License-Identifier: MIT
#include <sessionkit/detail/session/session_compaction-inl.hpp>
