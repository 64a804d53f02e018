// SPDX-License-Identifier: MIT
#include <sessionkit/impl/session_store.ipp>
