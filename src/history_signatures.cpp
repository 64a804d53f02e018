// SPDX-License-Identifier: MIT
#include <sessionkit/impl/history_signatures.ipp>
