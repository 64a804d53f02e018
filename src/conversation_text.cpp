// SPDX-License-Identifier: MIT
#include <sessionkit/detail/compaction/conversation_text-inl.hpp>
