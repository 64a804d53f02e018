// SPDX-License-Identifier: MIT
#include <sessionkit/impl/compaction.ipp>
