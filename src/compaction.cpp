// SPDX-License-Identifier: MIT
#include <sessionkit/detail/compaction/compaction-inl.hpp>
