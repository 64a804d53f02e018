// SPDX-License-Identifier: MIT
#include <sessionkit/impl/blades.ipp>
