// SPDX-License-Identifier: MIT
#include <sessionkit/impl/open_logs.ipp>
