// SPDX-License-Identifier: MIT
#include <sessionkit/impl/compaction_facts.ipp>
