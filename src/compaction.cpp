// SPDX-License-Identifier: MIT
#include <sessionkit/detail/compaction/src.hpp>
