// SPDX-License-Identifier: MIT
#include <sessionkit/impl/session_compaction.ipp>
