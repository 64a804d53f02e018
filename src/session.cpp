// SPDX-License-Identifier: MIT
#include <sessionkit/impl/session.ipp>
