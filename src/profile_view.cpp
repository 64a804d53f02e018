// SPDX-License-Identifier: MIT
#include <sessionkit/impl/profile_view.ipp>
