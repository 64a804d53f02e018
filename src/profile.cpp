// SPDX-License-Identifier: MIT
#include <sessionkit/impl/profile.ipp>
