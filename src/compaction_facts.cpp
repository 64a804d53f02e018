// SPDX-License-Identifier: MIT
#include <sessionkit/detail/compaction/compaction_facts-inl.hpp>
