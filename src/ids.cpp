// SPDX-License-Identifier: MIT
#include <sessionkit/impl/ids.ipp>
