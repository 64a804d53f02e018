// SPDX-License-Identifier: MIT
#include <sessionkit/impl/session_key.ipp>
