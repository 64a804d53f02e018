// SPDX-License-Identifier: MIT
#include <sessionkit/detail/compaction/summarize_window-inl.hpp>
