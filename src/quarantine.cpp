// SPDX-License-Identifier: MIT
#include <sessionkit/impl/quarantine.ipp>
