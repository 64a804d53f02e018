// SPDX-License-Identifier: MIT
#include <sessionkit/impl/channel_log.ipp>
