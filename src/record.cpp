// SPDX-License-Identifier: MIT
#include <sessionkit/impl/record.ipp>
