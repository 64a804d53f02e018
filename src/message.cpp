// SPDX-License-Identifier: MIT
#include <sessionkit/impl/message.ipp>
