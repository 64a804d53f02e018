// SPDX-License-Identifier: MIT
#include <sessionkit/impl/index_journal.ipp>
