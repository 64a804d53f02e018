// SPDX-License-Identifier: MIT
#include <sessionkit/impl/log_sync.ipp>
