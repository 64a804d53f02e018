// SPDX-License-Identifier: MIT
#include <sessionkit/detail/compaction/summarizer-inl.hpp>
