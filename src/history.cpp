// SPDX-License-Identifier: MIT
#include <sessionkit/impl/history.ipp>
