// SPDX-License-Identifier: MIT
#include <sessionkit/impl/conversation_text.ipp>
